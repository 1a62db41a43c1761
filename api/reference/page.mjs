/** In the browser: shows the reference to callers that may read the document, and a sign-in to all others. */
const form = document.querySelector('#sign-in')
const refusal = document.querySelector('#refusal')

async function open() {
  const answer = await fetch('/api/v1/openapi.json')
  form.hidden = answer.ok
  if (answer.status === 401) return
  if (!answer.ok) {
    form.hidden = false
    refusal.textContent = (await answer.json()).error
    return
  }
  globalThis.SwaggerUIBundle({
    spec: await answer.json(),
    dom_id: '#reference',
    deepLinking: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    // A badge of a validator elsewhere would tell it where this platform is.
    validatorUrl: null,
  })
}

async function signIn() {
  refusal.textContent = ''
  const answer = await fetch('/api/login', { method: 'POST', body: new URLSearchParams(new FormData(form)) })
  if (answer.ok) await open()
  else refusal.textContent = (await answer.json()).error
}

form.addEventListener('submit', (event) => {
  event.preventDefault()
  void signIn()
})

await open()
