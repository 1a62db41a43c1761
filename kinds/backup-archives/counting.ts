/**
 * Counts the contents of a dump. All dumps of the same data have the same numbers: they are recorded with a backup,
 * counted from the stored bytes, and compared with those of a restore (docs/reference/backups.md#drills).
 */
import { bucketCounter } from './bucket-scripts.ts'
import type { BackupArchive, BackupArchiveSpec } from './kind.ts'

type Engine = BackupArchiveSpec['engine']

/**
 * `counted` reads a stored dump from its input and prints two numbers; it prints nothing for a dump that it cannot
 * read.
 */
const counters: Record<Engine, string> = {
  postgres: String.raw`copied() {
  LC_ALL=C awk '
    $0 == "\\q" { broken = 1; exit }
    inside { if ($0 == "\\.") inside = 0; else rows += 1; next }
    /^COPY .* FROM stdin;$/ { inside = 1; tables += 1 }
    END { if (!broken) printf "%.0f %.0f", tables, rows }'
}
counted() { { pg_restore --data-only -f - || printf '%s\n' '\q'; } | copied; }
`,
  // A row begins a line after VALUES, follows it, or follows another row; quoted text may look like any of these.
  mysql: String.raw`counted() {
  LC_ALL=C awk '
    /^CREATE TABLE / { tables += 1 }
    /^INSERT INTO / { inside = 1 }
    inside {
      ends = /;$/
      gsub(/\\./, "")
      gsub(/'\''[^'\'']*'\''/, "")
      if (/^\(/ || /^INSERT INTO .* VALUES \(/) rows += 1
      rows += gsub(/\),\(/, "-")
      if (ends) inside = 0
    }
    END { printf "%.0f %.0f", tables, rows }'
}
`,
  // Keys that expire may be gone when the dump is loaded, so they are not counted.
  redis: String.raw`counted() {
  redis-check-rdb /dev/stdin >"$WORK/checked"
  of_checked() { sed -nE "s/^.* ([0-9]+) $1\$/\1/p" "$WORK/checked"; }
  echo "$(($(of_checked 'keys read') - $(of_checked expires))) 0"
}
`,
  // Bytes 16 and 17 of the file have its page size, where 1 stands for 64 KiB.
  sqlite: String.raw`counted() {
  set -- $(head -c 18 | tail -c 2 | od -An -tu1)
  page=$(($1 * 256 + $2))
  if [ "$page" = 1 ]; then page=65536; fi
  echo "$(($(cat "$WORK/size") / page)) 0"
}
`,
  bucket: bucketCounter,
}

/** `add FILE` adds the numbers that `counted` printed; one dump that cannot be counted makes the sum unknown. */
const adding = String.raw`things=0 rows=0 uncounted=
add() {
  case "$(cat "$1")" in
    [0-9]*' '[0-9]*) things=$((things + $(cut -d ' ' -f 1 "$1"))) rows=$((rows + $(cut -d ' ' -f 2 "$1"))) ;;
    *) uncounted=1 ;;
  esac
}
`

/** The names of the two numbers. */
const names: Record<Engine, readonly [string, string?]> = {
  postgres: ['tables', 'rows'],
  mysql: ['tables', 'rows'],
  redis: ['keys'],
  sqlite: ['pages'],
  bucket: ['objects', 'bytes'],
}

/** Needs the functions that log in at the engine. */
export const counting = (engine: Engine): string => `${counters[engine]}${adding}`

/** Sets `counts` to the JSON of the sum, `"counts":{"tables":2,"rows":7}`; to '' where it is unknown. */
export function countsSaid(engine: Engine): string {
  const [things, rows] = names[engine]
  const fields = [`\\"${things}\\":$things`, ...(rows === undefined ? [] : [`\\"${rows}\\":$rows`])]
  return `counts=
if [ -z "$uncounted" ]; then counts="\\"counts\\":{${fields.join(',')}}"; fi
`
}

/** Tables and rows, keys that do not expire, pages of the file, or objects and their bytes. */
export type Counts = NonNullable<NonNullable<BackupArchive['status']>['counts']>

/** The counts in the JSON that a script wrote; undefined where there are none. */
export function countsIn(said: string): Counts | undefined {
  const found = /"counts":(\{("[a-z]+":\d+,?)+\})/.exec(said)
  return found?.[1] === undefined ? undefined : (JSON.parse(found[1]) as Counts) // as the pattern says
}

const inOrder = ['tables', 'rows', 'keys', 'pages', 'objects', 'bytes'] as const

/** `2 tables, 7 rows`, whatever the order of the fields. */
export const countsText = (counts: Counts): string =>
  inOrder.flatMap((what) => (counts[what] === undefined ? [] : [`${counts[what]} ${what}`])).join(', ')
