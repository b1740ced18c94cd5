#!/bin/sh
# Start a Redis server that Sentinels watch over as a replica of whom they name, unless that is itself:
#
#   SENTINELS="sentinel-0:26379 sentinel-1:26379 sentinel-2:26379" MASTER=mymaster OWN=redis-0:6379 \
#       redis-behind-sentinels.sh redis-server /etc/redis/redis.conf
#
# A primary that died and comes back by itself takes itself for the primary still, and Sentinel leaves it alone for 10 s.
# Where WAIT counts on it, nobody can play for so long. OWN must be written as the Sentinels write it. REDISCLI_AUTH is the
# Sentinels' password, CLI_OPTIONS has more for redis-cli, as --tls. Without a majority the server starts as its file says.
set -eu

cli=$(command -v redis-cli || command -v valkey-cli)

# What one Sentinel says, as HOST:PORT; nothing where it does not answer.
named_by() {
    # shellcheck disable=SC2046,SC2086  words are meant
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
answers=$(for sentinel in $SENTINELS; do named_by "$sentinel"; done)
votes=$(echo "$answers" | sort | uniq -c | sort -rn | head -n 1)
primary=${votes##* }
votes=$(echo "$votes" | awk '{print $1}')

if [ -z "$primary" ] || [ "$votes" -le $((count / 2)) ]; then
    echo "no majority of $count Sentinels names a primary of $MASTER: starting as the configuration says" >&2
elif [ "$primary" = "$OWN" ]; then
    set -- "$@" --replicaof no one
else
    echo "following $primary, which $votes of $count Sentinels name" >&2
    set -- "$@" --replicaof "${primary%:*}" "${primary##*:}"
fi
exec "$@"
