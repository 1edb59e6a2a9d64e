#!/usr/bin/env bash
# Put the course on The Littlest JupyterHub, or renew it there: sudo bash tljh.sh REPOSITORY
set -euo pipefail
repository=${1:?usage: sudo bash tljh.sh REPOSITORY}
course=/opt/clockwork # the server's own clone; The Littlest JupyterHub itself is always in /opt/tljh
kernel=/opt/clockwork-kernel # the course's environment, apart from the users'
shared=/opt/tljh/user

# All that the users' JupyterLab gets: the halves of the widgets that run in the browser. What is there stays as it is.
"$shared/bin/pip" install anywidget ipywidgets nbgitpuller

# The course's packages into a kernel of its own: PyTorch for the CPU, by name, and anywidget as the browser has it.
[ -d "$course" ] || git clone --depth 1 "$repository" "$course"
git -C "$course" pull --ff-only
[ -d "$kernel" ] || "$shared/bin/python" -m venv "$kernel"
pip=$kernel/bin/pip
torch=$(sed -n 's/^torch==//p' "$course/constraints.txt")
anywidget=$("$shared/bin/pip" list --format freeze | sed -n '/^anywidget==/p')
"$pip" install "torch==$torch+cpu" -c "$course/constraints.txt" --extra-index-url https://download.pytorch.org/whl/cpu
"$pip" install -c "$course/constraints.txt" "$course/src/pe_helpers" "${course}[lab]"
"$pip" install "$anywidget"
"$kernel/bin/python" -m ipykernel install --prefix "$shared" --name clockwork --display-name Clockwork

# Settings in the course's own folder: lessons open with its kernel and with their pictures alive.
mkdir -p "$kernel/etc/jupyter" /opt/tljh/config/jupyterhub_config.d
cat "$course/tools/jupyter_server_config.py" "$course/deploy/lesson_kernel.py" \
    > "$kernel/etc/jupyter/jupyter_server_config.py"
(cd "$course" && "$kernel/bin/python" -m tools.pictures "$kernel/pictures")

# What one student may take, as benchmarks/results/hub.json has it. Published lessons may be worked in: nbgitpuller
# merges.
tljh-config set limits.memory 2G
tljh-config set user_environment.default_app jupyterlab
cat > /opt/tljh/config/jupyterhub_config.d/clockwork.py <<EOF
c.Spawner.environment.update(
    {
        "OMP_NUM_THREADS": "1",
        "CLOCKWORK_EDIT": "1",
        "CLOCKWORK_PICTURES": "$kernel/pictures",
        "JUPYTER_CONFIG_PATH": "$kernel/etc/jupyter",
    }
)
EOF
tljh-config reload
