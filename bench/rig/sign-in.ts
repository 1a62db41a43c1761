/** Signs an admin in the way a person does: by password, then a token is made. */

/** Throws with the answer when either step is refused. */
export async function signIn(
  url: string,
  username: string,
  password: string,
): Promise<{ token: string; cookie: string }> {
  const headers = { origin: url }
  const login = await fetch(`${url}/api/login`, {
    method: 'POST',
    headers,
    body: new URLSearchParams({ username, password }),
    redirect: 'manual',
  })
  const cookie = login.headers.get('set-cookie')?.split(';')[0]
  if (cookie === undefined) throw new Error(`sign-in answered ${login.status} ${await login.text()}`)
  const made = await fetch(`${url}/api/v1/tokens`, {
    method: 'POST',
    headers: { ...headers, cookie, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'bench', role: 'admin' }),
  })
  if (made.status !== 200) throw new Error(`making a token answered ${made.status} ${await made.text()}`)
  const { token } = (await made.json()) as { token: string }
  return { token, cookie }
}
