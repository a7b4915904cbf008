import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** A real S3 server in a process of its own. */
export interface S3Server extends AsyncDisposable {
  /** Address of its bucket. */
  readonly endpoint: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** Folder in which it keeps its objects. */
  readonly folder: string
}

/** Starts one with an empty bucket. */
export async function startS3Server(bucket = 'files'): Promise<S3Server> {
  const folder = await mkdtemp(join(tmpdir(), 'homeward-s3-'))
  const program = join(dirname(createRequire(import.meta.url).resolve('s3rver')), '../bin/s3rver.js')
  const options = ['--directory', folder, '--address', '127.0.0.1', '--port', '0', '--no-vhost-buckets']
  const child = spawn(process.execPath, [program, ...options, '--silent', '--configure-bucket', bucket], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_NO_WARNINGS: '1' },
  })
  const exit = once(child, 'exit')
  let output = ''
  const port = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      const [, found] = /listening on \S+:(\d+)/.exec(output) ?? []
      if (found !== undefined) resolve(found)
    })
    child.once('exit', () => reject(new Error(`The S3 server ended at its start:\n${output}`)))
  })
  return {
    endpoint: `http://127.0.0.1:${port}/${bucket}`,
    accessKeyId: 'S3RVER',
    secretAccessKey: 'S3RVER',
    folder,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await exit
      await rm(folder, { recursive: true, force: true })
    },
  }
}
