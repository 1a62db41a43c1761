/** How much of something is taken, with numbers and units. */

export const coresText = (millis: number): string => (millis / 1000).toFixed(millis < 10_000 ? 2 : 1)

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB']

export function bytesText(bytes: number): string {
  const at = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, bytes)) / 10)))
  const value = bytes / 1024 ** at
  return `${value >= 100 || at === 0 ? Math.round(value) : value.toFixed(1)} ${units[at]}`
}

const fullFrom = 0.9

export function Meter({ label, value, of, text }: { label: string; value: number; of: number; text: string }) {
  const share = of === 0 ? 0 : Math.min(1, value / of)
  return (
    <div className="flex flex-col gap-1.5">
      <div className="flex items-baseline justify-between gap-3 text-sm">
        <span className="font-medium">{label}</span>
        <span className="text-xs text-muted tabular-nums">{text}</span>
      </div>
      <div
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(share * 100)}
        aria-valuetext={text}
        className="h-1.5 overflow-hidden rounded bg-hover"
      >
        <div
          className={`h-full rounded ${share >= fullFrom ? 'bg-failed' : 'bg-accent'}`}
          style={{ width: `${share * 100}%` }}
        />
      </div>
    </div>
  )
}
