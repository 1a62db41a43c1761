/** Whether a server answers, for those that wait until it does. */

const withinMs = 1_000

/** True when a GET of the URL succeeds (2xx) within a second; false while nothing listens. */
export const answers = (url: string): Promise<boolean> =>
  fetch(url, { signal: AbortSignal.timeout(withinMs) }).then(
    ({ ok }) => ok,
    () => false,
  )
