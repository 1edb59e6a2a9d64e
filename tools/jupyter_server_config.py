"""JupyterLab's server as the course wants it: a saved lesson never points to a widget that is not in the file."""

WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
WIDGET_STATE = "application/vnd.jupyter.widget-state+json"


def drop_views_without_state(model, **_):
    """Keep the picture and drop the live view where the notebook holds no state for it ("model not found")."""
    if model["type"] != "notebook" or not isinstance(model.get("content"), dict):
        return
    widgets = model["content"].get("metadata", {}).get("widgets", {})
    saved = widgets.get(WIDGET_STATE, {}).get("state", {})
    for cell in model["content"].get("cells", []):
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if len(data) > 1 and data.get(WIDGET_VIEW, {}).get("model_id", "") not in saved:
                data.pop(WIDGET_VIEW, None)


c.ContentsManager.pre_save_hook = drop_views_without_state
