import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { createHome, startServer } from '../server/server-process.ts'
import { shareServer } from '../server/share-server.ts'
import { createPlatformClient } from './platform-client.ts'

const run = promisify(execFile)
const limit = { timeout: 60_000 }

/** fetch sends no `Host` of one's own: this does. */
async function get(url: string, headers: Record<string, string>): Promise<{ status: number; body: string }> {
  const request = httpRequest(url, { headers }).end()
  const [response] = await once(request, 'response')
  return { status: response.statusCode, body: await text(response) }
}

describe('the agent platform on loopback', limit, () => {
  const shared = shareServer()

  it('A19: answers under its own names only, on every path', async () => {
    const { port } = new URL(shared.server.agentsUrl)
    for (const path of ['/', '/openapi.json', '/health', '/api/agents', '/nothing']) {
      const url = shared.server.agentsUrl + path
      for (const host of [`rebound.example:${port}`, 'rebound.example', `127.0.0.1.nip.io:${port}`]) {
        const { status, body } = await get(url, { host })
        expect([path, host, status, JSON.parse(body).code]).toEqual([path, host, 403, 'forbidden'])
      }
      expect((await get(url, { host: `localhost:${port}` })).status).toBe(path === '/nothing' ? 404 : 200)
    }
  })

  it('A19: answers pages of its own only', async () => {
    const { port } = new URL(shared.server.agentsUrl)
    for (const origin of [
      'http://evil.example',
      'null',
      `http://127.0.0.1:${Number(port) + 1}`,
      shared.server.url,
    ]) {
      for (const path of ['/api/agents', '/openapi.json', '/health']) {
        const answer = await shared.client.send('GET', path, undefined, { origin })
        expect([origin, path, answer.status, answer.body.code]).toEqual([origin, path, 403, 'forbidden'])
        expect(answer.headers.get('access-control-allow-origin')).toBeNull()
      }
      const run = { agent_id: 'demo', task: 'x' }
      expect((await shared.client.send('POST', '/api/agents/run', run, { origin })).status).toBe(403)
    }
    const own = await shared.client.send('GET', '/api/agents', undefined, { origin: shared.server.agentsUrl })
    expect(own.status).toBe(200)
  })

  it('A19: takes JSON as JSON only', async () => {
    const plain = { 'content-type': 'text/plain' } // what a foreign page may send without asking
    const answer = await shared.client.send('POST', '/api/agents/run', { agent_id: 'demo', task: 'x' }, plain)
    expect([answer.status, answer.headers.get('x-content-type-options')]).toEqual([415, 'nosniff'])
  })

  it('A19: asks for a token from the moment on in which one is set, and not for it any more', async () => {
    const auth = { authorization: 'Bearer late-token' }
    await shared.client.ok('PUT', '/api/settings', { api_token: 'late-token' })
    expect((await shared.client.send('GET', '/api/agents')).status).toBe(401)
    expect((await shared.client.send('GET', '/api/agents', undefined, auth)).status).toBe(200)
    expect((await shared.client.send('PUT', '/api/settings', { api_token: null }, auth)).status).toBe(200)
    expect((await shared.client.send('GET', '/api/agents')).status).toBe(200)
  })
})

describe('with a token', limit, () => {
  const auth = { authorization: 'Bearer a-token-of-nineteen' }

  it('A19: refuses whoever does not send it in the header, and prints lines that do', async () => {
    await using home = await createHome()
    await using server = await startServer(home.path, { API_TOKEN: 'a-token-of-nineteen' })
    const client = createPlatformClient(server.agentsUrl)
    const refused: [string, HeadersInit][] = [
      ['/api/agents', {}],
      [
        '/api/agents?token=a-token-of-nineteen&api_token=a-token-of-nineteen&access_token=a-token-of-nineteen',
        {},
      ],
      ['/api/agents', { cookie: 'token=a-token-of-nineteen; api_token=a-token-of-nineteen' }],
      ['/api/agents', { authorization: 'Bearer a-token-of-nineteem' }],
      ['/api/agents', { authorization: 'Basic a-token-of-nineteen' }],
      ['/api/settings', { 'x-api-token': 'a-token-of-nineteen' }],
    ]
    for (const [path, headers] of refused) {
      const answer = await client.send('GET', path, undefined, headers)
      expect([path, answer.status, answer.body.code]).toEqual([path, 401, 'unauthorized'])
    }
    const stream = await client.send('POST', '/api/agents/run/stream', { agent_id: 'demo', task: 'x' })
    expect(stream.status).toBe(401)
    expect((await client.send('GET', '/api/agents', undefined, auth)).status).toBe(200)
    expect((await client.send('GET', '/health')).status).toBe(200)

    expect(server.output()).not.toContain('a-token-of-nineteen')
    const line = server.curlLines.find((each) => each.includes('/api/agents/run '))!
    const { stdout } = await run('bash', ['-c', line], {
      env: { ...process.env, API_TOKEN: 'a-token-of-nineteen' },
    })
    expect(JSON.parse(stdout)).toMatchObject({ success: true, steps: [{ tool: 'devices_list' }] })
  })

  it('A19: serves other machines, and still no foreign name; the device cloud stays on loopback', async () => {
    await using home = await createHome()
    await mkdir(home.path, { recursive: true })
    await writeFile(join(home.path, 'config.json'), '{"api_token": "a-token-of-nineteen"}')
    const environment = { HOST: '0.0.0.0', ALLOWED_HOSTS: 'agents.example' }
    await using server = await startServer(home.path, environment)
    expect(new URL(server.url).hostname).toBe('127.0.0.1')
    expect(server.output()).toContain('listens on this machine only')
    expect((await get(`${server.agentsUrl}/api/agents`, { ...auth, host: 'agents.example' })).status).toBe(
      200,
    )
    expect((await get(`${server.agentsUrl}/api/agents`, { ...auth, host: 'evil.example' })).status).toBe(403)
    expect((await get(`${server.agentsUrl}/api/agents`, {})).status).toBe(401)
    // the token is gone: nobody may call, instead of everybody
    const client = createPlatformClient(server.agentsUrl, auth)
    await client.ok('PUT', '/api/settings', { api_token: '' })
    expect((await client.send('GET', '/api/agents')).status).toBe(401)

    const reachable = await fetch(`http://127.0.0.2:${server.port}/api/devices`).then(
      () => true,
      () => false,
    )
    expect(reachable, 'the device cloud at another address').toBe(false)
    expect((await get(`http://127.0.0.2:${new URL(server.agentsUrl).port}/health`, {})).status).toBe(403)
  })
})

describe('a start that cannot work', limit, () => {
  const start = async (environment: Record<string, string>) => {
    await using home = await createHome()
    await startServer(home.path, environment)
  }

  it('A19: is refused on any other address than loopback without a token', async () => {
    for (const HOST of ['0.0.0.0', '::', '127.0.0.2']) {
      await expect(start({ HOST })).rejects.toThrow(/there is no access token\. Set API_TOKEN/)
    }
  })

  it('says which port is in use, and how to choose another one', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const port = String((taken.address() as AddressInfo).port)
    await expect(start({ PORT: port })).rejects.toThrow(`port ${port} is in use. Set PORT to another port.`)
    await expect(start({ CLOUD_PORT: port })).rejects.toThrow(
      `port ${port} is in use. Set CLOUD_PORT to another port.`,
    )
    taken.close()
  })

  it('says which variable is wrong, and which address is not here', async () => {
    await expect(start({ PORT: 'http' })).rejects.toThrow('PORT: must be a port number')
    await expect(start({ HOST: '0.0.0.0', API_TOKEN: '1234' })).rejects.toThrow(/fewer than 16 characters/)
    await expect(start({ CLOUD_HOST: '0.0.0.0', API_TOKEN: '1234' })).rejects.toThrow(/fewer than 16/)
    await expect(start({ HOST: '192.0.2.1', API_TOKEN: 'a-token-of-sixteen-characters' })).rejects.toThrow(
      'HOST "192.0.2.1" is not an address of this machine',
    )
  })

  it('does not take a broken config.json for an empty one', async () => {
    await using home = await createHome()
    await writeFile(join(home.path, 'config.json'), '{"api_token": "secret-token",}')
    const failure = startServer(home.path)
    await expect(failure).rejects.toThrow('it is not valid JSON')
    await expect(failure).rejects.not.toThrow('secret-token')
  })
})
