#!/bin/sh
# Start a Redis server behind Sentinel as a replica of the primary that the Sentinels name, unless it is that primary:
#
#   SENTINELS="sentinel-0:26379 sentinel-1:26379 sentinel-2:26379" MASTER=mymaster OWN=redis-0:6379 \
#       redis-behind-sentinels.sh redis-server /etc/redis/redis.conf
#
# A primary that restarts after a failover still takes itself for the primary, and Sentinel waits 10 s before it changes
# that. If WAIT needs its acknowledgement, commits fail for that time. OWN is the server's address as the Sentinels write
# it, REDISCLI_AUTH the Sentinels' password, CLI_OPTIONS further options of redis-cli, as --tls. Without a majority of
# Sentinels the server starts with the roles of its configuration.
set -eu

cli=$(command -v redis-cli || command -v valkey-cli)

# Print the primary that a Sentinel names, as HOST:PORT; nothing if it does not reply.
query_sentinel() {
    # shellcheck disable=SC2046,SC2086  splitting is intended
    set -- $(timeout 2 "$cli" -h "${1%:*}" -p "${1##*:}" ${CLI_OPTIONS-} \
        sentinel get-master-addr-by-name "$MASTER" 2>/dev/null || true)
    if [ $# -eq 2 ]; then
        echo "$1:$2"
    fi
}

count=0
for sentinel in $SENTINELS; do
    count=$((count + 1))
done
replies=$(for sentinel in $SENTINELS; do query_sentinel "$sentinel"; done)
votes=$(echo "$replies" | sort | uniq -c | sort -rn | head -n 1)
primary=${votes##* }
votes=$(echo "$votes" | awk '{print $1}')

if [ -z "$primary" ] || [ "$votes" -le $((count / 2)) ]; then
    echo "no majority of $count Sentinels names a primary of $MASTER: starting with the configured role" >&2
elif [ "$primary" = "$OWN" ]; then
    set -- "$@" --replicaof no one
else
    echo "starting as a replica of $primary, which $votes of $count Sentinels name" >&2
    set -- "$@" --replicaof "${primary%:*}" "${primary##*:}"
fi
exec "$@"
