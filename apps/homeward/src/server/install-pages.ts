import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { HttpError } from '@homeward/contract/handler'
import { buildInChild } from '../dashboard/build-in-child.ts'
import type { Pages } from '../dashboard/pages.ts'
import { bundleName, findBundle } from '../program/find-bundle.ts'
import { originOf } from '../sign-in/request-origin.ts'
import { installScript } from './install-script.ts'

/** What {@link installPages} needs to know. */
interface InstallPageOptions {
  /** The address that `CLOUD_PUBLIC_URL` names, without a slash at its end. Undefined: the one that the caller used. */
  readonly publicUrl: string | undefined
  /** An address of the server, for callers whose own one cannot stand in a script. */
  readonly url: string
  /** Folder of the executables that `npm run build:device` makes. */
  readonly downloads: string
  /** Path of the device agent in one file, for machines with Node. @default the one of this installation; a clone builds it */
  readonly script?: () => Promise<string>
}

const systems = [
  'linux-x64',
  'linux-arm64',
  'macos-x64',
  'macos-arm64',
  'windows-x64.exe',
  'windows-arm64.exe',
]

/** `/install.sh`, and what it downloads: the device agent in one file, or executables for machines without Node. */
export function installPages({ publicUrl, url, downloads, script }: InstallPageOptions): Pages {
  const findScript = script ?? createScriptFinder(downloads)
  const programs = systems.map((system): [string, () => Promise<string>] => {
    const name = `homeward-device-${system}`
    return [name, () => Promise.resolve(join(downloads, name))]
  })
  const pages: Record<string, Pages[string]> = {
    '/install.sh': (request) => showScript(publicUrl ?? callersOrigin(request), url),
  }
  for (const [name, find] of [...programs, [bundleName, findScript] as const]) {
    pages[`/downloads/${name}`] = async (request) => showProgram(request, await find())
    pages[`/downloads/${name}.sha256`] = async () => showChecksum(await find(), name)
  }
  return pages
}

/** A published package has the file. A clone builds it once, at the first request after a start. */
function createScriptFinder(downloads: string): () => Promise<string> {
  const installed = findBundle(import.meta.dirname)
  if (installed !== undefined) return () => Promise.resolve(installed)
  let building: Promise<string> | undefined
  return () => {
    building ??= buildScript(downloads).catch((error: unknown) => {
      building = undefined
      throw error
    })
    return building
  }
}

const buildProgram = resolve(import.meta.dirname, '../../../../scripts/build-device.ts')

async function buildScript(downloads: string): Promise<string> {
  if (!existsSync(buildProgram)) throw new HttpError(404, { error: 'Not found' })
  await mkdir(downloads, { recursive: true })
  await buildInChild(AbortSignal.timeout(120_000), buildProgram, ['--script', '--out', downloads])
  return join(downloads, bundleName)
}

function callersOrigin(request: Request): string {
  return originOf({ host: new URL(request.url).host, ...Object.fromEntries(request.headers) }, undefined)
}

/** The checksum of a program, as `sha256sum` writes it. */
async function showChecksum(path: string, name: string): Promise<Response> {
  const found = await stat(path).catch(() => undefined)
  if (!found?.isFile()) throw new HttpError(404, { error: 'Not found' })
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer)
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' }
  return new Response(`${hash.digest('hex')}  ${name}\n`, { headers })
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
