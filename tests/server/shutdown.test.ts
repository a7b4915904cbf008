import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { workspaceFolder } from '../../scripts/workspace-packages.ts'
import { createRawClient, type RawClient, type RawDevice } from '../wire/raw-client.ts'
import { endInTime } from './end-in-time.ts'
import { openSocket, requestHead } from './raw-socket.ts'
import { createHome, startServer, uploadedFiles, type ServerProcess } from './server-process.ts'

let home: Awaited<ReturnType<typeof createHome>>
let server: ServerProcess
let client: RawClient
let device: RawDevice

async function start(): Promise<void> {
  server = await startServer(home.path)
  client = createRawClient({ baseUrl: server.url, fetch: (input, init) => fetch(input, init) })
}

beforeEach(async () => {
  home = await createHome()
  await start()
  device = await client.register()
})
afterEach(async () => {
  await server.end('SIGKILL')
  await home[Symbol.asyncDispose]()
})

describe('SIGTERM', () => {
  it('ends the server within 3 s, with code 0; SIGINT too', async () => {
    await endInTime(server, 'SIGINT')
  })

  it('C3: writes what heartbeats are still on their way', async () => {
    await client.post('/api/devices/heartbeat', { metadata: { os: 'Linux' } }, device.headers)
    await endInTime(server)
    await start()
    expect((await client.get('/api/devices')).json['devices']).toMatchObject([
      { id: device.id, lastSeenAt: expect.any(String), metadata: { os: 'Linux' } },
    ])
  })

  it('C22: answers held polls, then ends', async () => {
    const paths = ['/api/devices/search/pending', '/api/devices/files/upload-requests/pending']
    const held = paths.map((path) => client.get(path, { ...device.headers, Prefer: 'wait=60' }))
    // Answered behind the polls, over other connections: they are held by then.
    await client.get('/api/devices')
    await endInTime(server)
    for (const answer of await Promise.all(held)) {
      expect([answer.status, answer.json]).toEqual([200, { requests: [] }])
    }
  })

  it('does not wait for connections that are kept open', async () => {
    await using idle = await openSocket(server.port)
    idle.write(requestHead('GET /api/devices', server.port))
    expect((await idle.read())?.status).toBe(200)
    await using silent = await openSocket(server.port)
    await using halfHead = await openSocket(server.port)
    halfHead.write('GET /api/devices HTTP/1.1\r\nHost: 127')
    await endInTime(server)
    expect(await silent.read()).toBeUndefined()
  })

  it('gives up on uploads half way, and leaves nothing of them', async () => {
    const requestIds = [...(await client.askForFile([device.id])), ...(await client.askForFile([device.id]))]
    const headers = {
      ...device.headers,
      'Content-Type': 'multipart/form-data; boundary=b',
      'Content-Length': '50000000',
    }
    const id = `--b\r\nContent-Disposition: form-data; name="requestId"\r\n\r\n${requestIds[0]}\r\n`
    const file = `--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n`
    await using fileLast = await openSocket(server.port)
    await using fileFirst = await openSocket(server.port)
    for (const [socket, parts] of [
      [fileLast, id + file],
      [fileFirst, file],
    ] as const) {
      socket.write(requestHead('POST /api/devices/files/upload', server.port, headers) + parts)
      socket.write(Buffer.alloc(1_000_000))
    }
    await client.get('/api/devices')
    await endInTime(server)
    await start()
    const { json } = await client.get('/api/devices/files/upload-requests')
    for (const row of json['results'] as { status: string }[])
      expect(row.status).toMatch(/^(pending|uploading)$/)
    for (const requestId of requestIds)
      expect((await client.upload(device, requestId, 'whole')).status).toBe(200)
    expect(await uploadedFiles(home.path)).toHaveLength(2)
  })

  it('ends within 3 s when asked twice, with work of every kind under way', async () => {
    const polls = Array.from({ length: 3 }, () =>
      client.get('/api/devices/search/pending', { ...device.headers, Prefer: 'wait=60' }).catch(() => {}),
    )
    const reads = Array.from({ length: 50 }, () => client.get('/api/devices').catch(() => {}))
    await client.get('/api/devices')
    const first = endInTime(server)
    const second = server.end('SIGTERM')
    await first
    await Promise.all([second, ...polls, ...reads])
  })
})

describe('npm', () => {
  it('leaves no server behind when it is ended while the server starts', async () => {
    // Takes a connection and says nothing: the start lasts until the server gives it up, which it would tell.
    const database = createServer().listen(0, '127.0.0.1')
    await once(database, 'listening')
    const { port } = database.address() as AddressInfo
    const reached = once(database, 'connection')
    const program = [process.execPath, '--conditions=@homeward/source', 'apps/homeward/src/main.ts']
    const shell = spawn('sh', ['-c', '"$@" & wait', 'sh', ...program], {
      cwd: workspaceFolder,
      env: {
        ...process.env,
        npm_lifecycle_event: 'start',
        DATABASE_URL: `postgres://127.0.0.1:${port}/homeward`,
        HOMEWARD_HOME: home.path,
        DASHBOARD: 'off',
        PORT: '0',
        CLOUD_PORT: '0',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [shell.stdout, shell.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (output += text))
    await reached
    shell.kill('SIGKILL')
    await once(shell, 'close') // the server, too, has let go of what it prints to
    database.close()
    expect(output).toBe('')
  })
})
