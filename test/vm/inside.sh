#!/bin/bash
# Runs inside the virtual machine at its boot, as a service whose output is the second serial line; then the machine ends.
# What to run stands on the kernel's command line: svc.tests=FILE,FILE svc.patience=N
setting() { sed -n "s/.*\bsvc\.$1=\([^ ]*\).*/\1/p" /proc/cmdline; }
echo "vm: $(uname -sr), $(. /etc/os-release && echo "$PRETTY_NAME"), /sys/fs/cgroup is $(stat -fc %T /sys/fs/cgroup)"
export HOME=/root PATH="/payload/bin:$PATH" XDG_CACHE_HOME=/payload/cache SVC_PATIENCE="$(setting patience)"
cd /payload/svc || exit
IFS=, read -ra tests <<<"$(setting tests)"
npm test --silent -- "${tests[@]}"
echo "vm: ended"
systemctl poweroff --no-block
