import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { extname, join, normalize, relative } from 'node:path'
import type { AddressInfo } from 'node:net'
import { onTermination } from '../../apps/homeward/src/program/on-termination.ts'

// Serves this folder on loopback: `npm run store`, or `npm run store -- 4000` for another port.

const folder = import.meta.dirname
const types: Readonly<Record<string, string>> = {
  '.json': 'application/json',
  '.md': 'text/markdown; charset=utf-8',
  '.zip': 'application/zip',
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = join(folder, normalize(decodePath(request.url)))
  const type = types[extname(path)]
  const isInside = !relative(folder, path).startsWith('..')
  const content = type && isInside ? await readFile(path).catch(() => undefined) : undefined
  if (content) response.writeHead(200, { 'content-type': type }).end(content)
  else response.writeHead(404).end('Not found\n')
}

function decodePath(url = '/'): string {
  try {
    return decodeURIComponent(url.split('?')[0] ?? '/')
  } catch {
    return '/'
  }
}

function refuse(problem: string): never {
  console.error(
    `Starting the store failed: port ${process.argv[2] ?? port} ${problem}. Try: npm run store -- 3021`,
  )
  process.exit(1)
}

const port = Number(process.argv[2] ?? 3020)
if (!Number.isInteger(port) || port < 0 || port > 65_535) refuse('is no port number')
const server = createServer((request, response) => void serve(request, response))
server.on('error', (error) => refuse(`cannot be used (${error.message})`))
server.listen(port, '127.0.0.1', () => {
  console.log(`Skill store: http://127.0.0.1:${(server.address() as AddressInfo).port}/registry.json`)
})
onTermination(async () => {
  server.close()
  server.closeAllConnections()
})
