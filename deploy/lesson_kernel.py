"""tljh.sh adds this to tools/jupyter_server_config.py: a lesson of the course opens with the course's kernel."""

LESSON_KERNEL = {"name": "clockwork", "display_name": "Clockwork", "language": "python"}


class LessonsWithTheirKernel(Lessons):  # of tools/jupyter_server_config.py, which stands above
    """The server's files, in which a notebook of the course for Python's usual kernel names the course's instead."""

    async def get(self, path, *arguments, **named):
        """Return a file as the server has it; see `ContentsManager.get`."""
        model = await super().get(path, *arguments, **named)
        if model["type"] == "notebook" and model["content"] and self.of_the_course(path):
            metadata = model["content"]["metadata"]
            if metadata.get("kernelspec", {}).get("name", "python3") == "python3":
                metadata["kernelspec"] = dict(LESSON_KERNEL)
        return model

    def of_the_course(self, path):
        """Say whether a file lies in the notebooks of a clone of the course."""
        folders = Path(self.root_dir, path.strip("/")).parents
        return any(f.name == PUBLISHED and (f.parent / "src" / "clockwork").is_dir() for f in folders)


c.ServerApp.contents_manager_class = LessonsWithTheirKernel
