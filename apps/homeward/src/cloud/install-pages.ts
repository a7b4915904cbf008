import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { HttpError } from '@homeward/contract/handler'
import type { Pages } from '../dashboard/pages.ts'
import { installScript } from './install-script.ts'

/** What {@link installPages} needs to know. */
export interface InstallPageOptions {
  /** The address that `CLOUD_PUBLIC_URL` names, without a slash at its end. Undefined: the one that the caller used. */
  readonly publicUrl: string | undefined
  /** An address of the server, for callers whose own one cannot stand in a script. */
  readonly url: string
  /** Folder of the executables that `npm run build:device` makes. */
  readonly downloads: string
}

const systems = [
  'linux-x64',
  'linux-arm64',
  'macos-x64',
  'macos-arm64',
  'windows-x64.exe',
  'windows-arm64.exe',
]

/** `/install.sh`, and `/downloads/homeward-device-…` for machines without Node. */
export function installPages({ publicUrl, url, downloads }: InstallPageOptions): Pages {
  const names = systems.map((system) => `homeward-device-${system}`)
  return {
    '/install.sh': (request) => showScript(publicUrl ?? new URL(request.url).origin, url),
    ...Object.fromEntries(
      names.map((name) => [
        `/downloads/${name}`,
        (request: Request) => showProgram(request, join(downloads, name)),
      ]),
    ),
  }
}

/** The guard has checked that the caller used a name of this server. The form of the address is checked all the same. */
function showScript(wanted: string, url: string): Response {
  const headers = { 'content-type': 'text/x-shellscript; charset=utf-8', 'cache-control': 'no-store' }
  try {
    return new Response(installScript({ cloudUrl: wanted }), { headers })
  } catch {
    return new Response(installScript({ cloudUrl: url }), { headers })
  }
}

async function showProgram({ method }: Request, path: string): Promise<Response> {
  const found = await stat(path).catch(() => undefined)
  if (!found?.isFile()) throw new HttpError(404, { error: 'Not found' })
  const headers = { 'content-type': 'application/octet-stream', 'content-length': String(found.size) }
  if (method === 'HEAD') return new Response(null, { headers })
  const content = Readable.toWeb(createReadStream(path)) as ReadableStream<Uint8Array> // Node's own type of the same
  return new Response(content, { headers })
}
