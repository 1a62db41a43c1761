/**
 * What the Jobs of backups and restores run for a bucket: its objects as one tar, with what else belongs to each of
 * them beside. Every name of an object is written as rclone writes it, so that it is one line and one file.
 *
 * `metadata.tsv` of the tar has for each object a line of JSON, with its content type and its own metadata, and its
 * name after a tab.
 */
import { unloaded } from './sentences.ts'

/** `buckets:` is the rclone remote of the object server, with the login of the bucket. */
export const bucketLogin = `export RCLONE_CONFIG_BUCKETS_TYPE=s3 RCLONE_CONFIG_BUCKETS_PROVIDER=Minio RCLONE_CONFIG_BUCKETS_REGION=us-east-1
export RCLONE_CONFIG_BUCKETS_ENDPOINT="http://$SERVER_HOST:$SERVER_PORT" RCLONE_CONFIG_BUCKETS_NO_CHECK_BUCKET=true
export RCLONE_CONFIG_BUCKETS_ACCESS_KEY_ID="$(cat "$LOGIN/username")"
export RCLONE_CONFIG_BUCKETS_SECRET_ACCESS_KEY="$(cat "$LOGIN/password")"
stage="$WORK/stage"
`

/** A tar that cannot be read to its end is not counted. */
export const bucketCounter = String.raw`counted() {
  { tar -tvf - || echo broken; } | LC_ALL=C awk '
    $0 == "broken" { broken = 1 }
    $1 ~ /^-/ && $6 ~ /^objects\// { objects += 1; bytes += $3 }
    END { if (!broken) printf "%.0f %.0f", objects, bytes }'
}
`

/**
 * An object that changes during the backup is stored in its old or its new state. The files are named by the position
 * of their bucket: messages name files, and their readers may not be allowed to see the names of buckets.
 */
export const bucketDump = `place=0
for bucket in $BUCKETS; do
  place=$((place + 1))
  from="buckets:$PREFIX$bucket"
  rm -rf "$stage"
  mkdir -p "$stage/objects"
  rclone copy "$from" "$stage/objects" || fail 'the objects of the bucket could not be read'
  rclone lsf -R --files-only -M --format Mp --separator "$(printf '\\t')" "$from" >"$stage/metadata.tsv" || fail 'the objects of the bucket could not be read'
  made tar -C "$stage" -cf - metadata.tsv objects | keep "bucket-$place.tar"
  kept "bucket-$place.tar"
  rm -rf "$stage"
done
`

/**
 * `grouped FOLDER` reads metadata.tsv and writes the names of the objects that have the same metadata into one file
 * each, `1.names`, and the headers for their upload beside it, `1.headers`. The headers have no times of an object: the
 * tar has the time of its last change.
 */
const grouping = String.raw`grouped() {
  LC_ALL=C awk -v to="$1" '
    function plain(text, made, at, code) {
      made = ""
      while ((at = index(text, "\\")) > 0) {
        made = made substr(text, 1, at - 1)
        code = substr(text, at + 2, 4)
        if (substr(text, at + 1, 1) != "u") { made = made substr(text, at + 1, 1); text = substr(text, at + 2); continue }
        made = made (code == "0026" ? "&" : code == "003c" ? "<" : code == "003e" ? ">" : "?")
        text = substr(text, at + 6)
      }
      return made text
    }
    function headers(said, file, pair, key) {
      printf "" >file
      while (match(said, /^[{,]"([^"\\]|\\.)*":"([^"\\]|\\.)*"/)) {
        pair = substr(said, 2, RLENGTH - 1)
        said = substr(said, RLENGTH + 1)
        match(pair, /^"([^"\\]|\\.)*"/)
        key = plain(substr(pair, 2, RLENGTH - 2))
        if (key !~ /^(cache-control|content-(disposition|encoding|language|type))$/) key = "x-amz-meta-" key
        print key ": " plain(substr(pair, RLENGTH + 3, length(pair) - RLENGTH - 3)) >file
      }
      close(file)
    }
    {
      cut = index($0, "\t")
      said = substr($0, 1, cut - 1)
      gsub(/"(btime|mtime|tier)":"[^"]*",?/, "", said)
      if (!(said in groups)) { groups[said] = to "/" (++count); headers(said, groups[said] ".headers") }
      print substr($0, cut + 1) >>(groups[said] ".names")
      close(groups[said] ".names")
    }'
}
`

/** `upload NAMES HEADERS TO`: a function, for its own positional arguments. */
const uploading = `upload() {
  names="$1" headers="$2" to="$3"
  set --
  while IFS= read -r header; do set -- "$@" --header-upload "$header"; done <"$headers"
  rclone copy --no-check-dest --files-from-raw "$names" "$@" "$stage/objects" "$to"
}
`

/** Loads into the buckets of TO, in the order of the backup. The last copy uploads what metadata.tsv does not list. */
export const bucketLoad = `${grouping}${uploading}set -- $TO
while read -r sum name; do
  to="buckets:$1"
  shift
  rm -rf "$stage" "$WORK/groups"
  mkdir -p "$stage" "$WORK/groups"
  take "$name" | tar -C "$stage" -xf - || fail '${unloaded}'
  if [ -e "$WORK/failed" ]; then fail '${unloaded}'; fi
  grouped "$WORK/groups" <"$stage/metadata.tsv"
  for names in "$WORK/groups"/*.names; do
    if [ ! -e "$names" ]; then continue; fi
    upload "$names" "\${names%.names}.headers" "$to" || fail '${unloaded}'
  done
  rclone copy --size-only "$stage/objects" "$to" || fail '${unloaded}'
  wanted="$(find "$stage/objects" -type f -print0 | tr -cd '\\000' | wc -c)"
  there="$(rclone size --json "$to" | sed -nE 's/.*"count":([0-9]+).*/\\1/p')"
  if [ "$there" != "$wanted" ]; then fail '${unloaded}: some of its objects are missing'; fi
  rm -rf "$stage"
done <"$WORK/manifest.sha256"
`

/** The login of the object server beside the drill, which only the pod of the drill reaches. */
export const throwaway = { username: 'minioadmin', password: 'minioadmin' }

export const bucketServer = `printf ${throwaway.username} >"$LOGIN/username"
printf ${throwaway.password} >"$LOGIN/password"
`

/** Makes one bucket for each bucket of the backup. */
export const bucketFill = (
  unstarted: string,
): string => `TO="$(awk '{ printf "restored-%d ", NR }' "$WORK/manifest.sha256")"
for bucket in $TO; do
  tries=0
  until RCLONE_CONFIG_BUCKETS_NO_CHECK_BUCKET=false rclone mkdir --retries 1 --low-level-retries 1 "buckets:$bucket" 2>/dev/null; do
    tries=$((tries + 1))
    if [ $tries = 300 ]; then fail '${unstarted}'; fi
    sleep 1
  done
done
`

export const bucketRecount = `for bucket in $TO; do
  rclone size --json "buckets:$bucket" | sed -nE 's/.*"count":([0-9]+),"bytes":([0-9]+).*/\\1 \\2/p' >"$WORK/counted"
  add "$WORK/counted"
done
`
