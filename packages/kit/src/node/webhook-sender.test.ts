import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { createWebhookSender, type ResolveWebhookHost } from './index.ts'

const resolvingTo =
  (...addresses: string[]): ResolveWebhookHost =>
  (_host, _options, callback) => {
    const address = addresses.length > 1 ? addresses.shift()! : addresses[0]!
    callback(null, [{ address, family: 4 }])
  }
const request = (url: string) => ({ url, headers: {}, body: '{}', signal: new AbortController().signal })

it('rejects private addresses, also of a name that changes its address after the check', async () => {
  const sender = createWebhookSender({ resolveHost: resolvingTo('93.184.215.14', '127.0.0.1') })
  for (const url of ['http://127.0.0.1:1/', 'http://169.254.169.254/', 'http://[::ffff:127.0.0.1]/'])
    expect(await sender.check(new URL(url))).toBeTypeOf('string')
  expect(await sender.check(new URL('http://hook.example/'))).toBeUndefined()
  await expect(sender.send(request('http://hook.example:1/'))).rejects.toThrow('has a private address')
})

it('rejects addresses where clouds hand out credentials, even if the host is named', async () => {
  const options = { hosts: () => 'hook.example', resolveHost: resolvingTo('169.254.169.254') }
  await expect(createWebhookSender(options).send(request('http://hook.example/'))).rejects.toThrow(
    'credentials',
  )
})

it('gives the status of a redirect, which it does not follow, and sends to private hosts that are named', async () => {
  const paths: unknown[] = []
  const server = createServer((incoming, response) => {
    paths.push(incoming.url)
    response.writeHead(302, { location: '/other', 'retry-after': '2' }).end()
  })
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  const sender = createWebhookSender({ hosts: () => 'other, 127.0.0.1' })
  expect(await sender.send(request(url))).toEqual({ status: 302, retryAfterMs: 2000 })
  expect(paths).toEqual(['/hook'])
  await new Promise((done) => server.close(done))
})
