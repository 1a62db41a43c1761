#!/bin/bash
# Process 1 of a node's namespaces (mount, UTS, IPC, network, PID); started by process.ts, never by hand: init.sh NODE_DIR
#   stdin  a line when the API server answers; its end means stop, so a node never outlives its starter
#   fd 3   the host's network namespace
# Everything that is started, mounted or routed here goes with this process.
set -euo pipefail
# The stop below signals every process there is: outside a PID namespace of its own that would be the whole machine.
[[ $$ == 1 && $(readlink /proc/self/ns/net) != $(readlink /proc/self/fd/3) ]] || { echo "init.sh runs only as process 1 of a node" >&2; exit 64; }
S=$1
# shellcheck source=/dev/null
. "$S/etc/init.env"

supervise() { # supervise NAME COMMAND...: restarted when it exits, one log file each
  local name=$1; shift
  ( while :; do
      echo "--- $(date -Is) start: $*" >>"$S/log/$name.log"
      "$@" >>"$S/log/$name.log" 2>&1 </dev/null || true
      sleep 1
    done ) &
}
supervise_all() { # supervise_all FILE: a name and a quoted command in each line
  local name command
  while read -r name command; do eval "supervise $name $command"; done <"$1"
}
on_host() { nsenter --net=/proc/self/fd/3 "$@"; }

for d in $CGROUPS; do echo 0 >"$d/cgroup.procs"; done

# -- the way out: slirp4netns, a program on the host's network that speaks for a tap device in this one. Started before the
#    mounts below and with its own copy of the mount table, so that it reads the host's resolv.conf. --
if [[ -n $SLIRP ]]; then
  unshare --mount bash -c 'while :; do nsenter --net=/proc/self/fd/3 "$@" || true; sleep 1; done' - \
    "$SLIRP" --configure --mtu=1500 --cidr="$EGRESS_RANGE" --disable-host-loopback 1 tap0 \
    >>"$S/log/slirp4netns.log" 2>&1 </dev/null &
fi

# -- mounts: invisible to the host, backed by the node's folder --
mount -t tmpfs -o mode=755 tmpfs /run
mkdir -p /run/lock /run/cgroup
mount --rbind /sys/fs/cgroup /run/cgroup
mount -t sysfs sysfs /sys                      # the /sys of this network namespace
mount --rbind /run/cgroup /sys/fs/cgroup
umount -l /run/cgroup                          # before / is shared: it would reach its peers
for d in $SHADOWED; do
  mkdir -p "$S/shadow$d"
  mount --bind "$S/shadow$d" "$d"
done
resolv=$(readlink -m /etc/resolv.conf)         # often a link into /run, which is empty now
[[ -e $resolv ]] || { mkdir -p "$(dirname "$resolv")"; : >"$resolv"; }
mount --bind "$S/etc/resolv.conf" "$resolv"
mount --bind "$S/etc/hosts" /etc/hosts
mount --make-rshared /                         # last: pods may ask for mount propagation
hostname "$NODE"

# -- network: a link to the host, which reaches pods and Services through it --
ip link set lo up
on_host ip link add "$LINK" type veth peer name eth0 netns 1
on_host ip addr add "$HOST_ADDRESS/30" dev "$LINK"
on_host ip link set "$LINK" up
ip addr add "$NODE_ADDRESS/30" dev eth0
ip link set eth0 up
for r in $POD_RANGE $SERVICE_RANGE; do on_host ip route add "$r" via "$NODE_ADDRESS"; done
ip route add "$SERVICE_RANGE" via "$HOST_ADDRESS"  # a route must exist before kube-proxy can rewrite the address
sysctl -qw net.ipv4.ip_forward=1 net.ipv4.conf.all.route_localnet=1
# What pods send to the world leaves under the tap device's address.
nft 'add table ip svc-egress
  add chain ip svc-egress postrouting { type nat hook postrouting priority srcnat; }
  add rule ip svc-egress postrouting oifname "tap0" masquerade'
# Nor do pods get anywhere near the credentials of a machine in a cloud: slirp4netns would speak for them from the host. Before
# kube-proxy and routing, since the node's plugin enforces no NetworkPolicy.
nft "add table ip svc-metadata
  add chain ip svc-metadata prerouting { type filter hook prerouting priority raw; }
  add rule ip svc-metadata prerouting ip saddr $POD_RANGE ip daddr { 169.254.0.0/16, 100.100.100.200 } drop"
exec 3<&-

supervise_all "$S/etc/first"
if read -r _; then supervise_all "$S/etc/second"; read -r _ || true; fi

# -- stop: everybody is asked, and whoever is left goes with this process --
kill -TERM -1 || true
for ((i = 0; i < STOP_TRIES; i++)); do
  left=(/proc/[0-9]*)
  ((${#left[@]} > 1)) || break
  sleep 0.05
done
