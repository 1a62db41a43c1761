/** Says hello. Change the words, commit and push: svc builds and deploys the new version. */
import { createServer } from 'node:http'

const greeting = 'hello from git'

createServer((request, response) => {
  response.setHeader('content-type', 'text/plain; charset=utf-8')
  response.end(request.url === '/healthz' ? 'ok\n' : `${greeting}\n`)
}).listen(Number(process.env.PORT ?? 8080), '0.0.0.0')
