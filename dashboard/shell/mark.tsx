/** The mark of svc: a container seen from a corner; the icon of the page is the same. */

export function Mark({ size }: { size: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden className="shrink-0">
      <rect width="32" height="32" rx="7" fill="#1d5fcf" />
      <g fill="none" stroke="#fff" strokeWidth="2.2" strokeLinejoin="round">
        <path d="M8 11.5 16 7l8 4.5v9L16 25l-8-4.5z" />
        <path d="m8 11.5 8 4.5 8-4.500M16 16v9" />
      </g>
    </svg>
  )
}
