#!/usr/bin/env bash
# Put the course on The Littlest JupyterHub: sudo bash tljh.sh REPOSITORY
set -euo pipefail
repository=${1:?usage: sudo bash tljh.sh REPOSITORY}
course=/opt/clockwork # the server's own clone; The Littlest JupyterHub itself is always in /opt/tljh
pip=/opt/tljh/user/bin/pip

# The course's packages into the environment of all users: PyTorch for the CPU, by name.
[ -d "$course" ] || git clone --depth 1 "$repository" "$course"
git -C "$course" pull --ff-only
torch=$(sed -n 's/^torch==//p' "$course/constraints.txt")
"$pip" install "torch==$torch+cpu" -c "$course/constraints.txt" --extra-index-url https://download.pytorch.org/whl/cpu
"$pip" install -c "$course/constraints.txt" "$course/src/pe_helpers" "${course}[lab,jupyterhub]"

# Saved notebooks keep their widgets' state, and published lessons may be worked in: nbgitpuller merges.
mkdir -p /opt/tljh/user/share/jupyter/lab/settings /opt/tljh/user/etc/jupyter /opt/tljh/config/jupyterhub_config.d
echo '{"@jupyter-widgets/jupyterlab-manager:plugin": {"saveState": true}}' \
    > /opt/tljh/user/share/jupyter/lab/settings/overrides.json
cp "$course/tools/jupyter_server_config.py" /opt/tljh/user/etc/jupyter/

# What one student may take, as benchmarks/results/hub.json has it.
tljh-config set limits.memory 2G
tljh-config set user_environment.default_app jupyterlab
cat > /opt/tljh/config/jupyterhub_config.d/clockwork.py <<'EOF'
c.Spawner.environment.update({"OMP_NUM_THREADS": "1", "CLOCKWORK_EDIT": "1"})
EOF
tljh-config reload
