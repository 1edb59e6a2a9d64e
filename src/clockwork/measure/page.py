"""stub"""
def page(found): return "x"
