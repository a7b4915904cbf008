import { describe, expect, it } from 'vitest'
import { createTestCloud, storeKinds, type TestCloud } from './test-cloud.ts'

const fill = async (test: TestCloud, count: number) => {
  const devices: string[] = []
  for (let index = 0; index < count; index += 1) {
    test.advance(1)
    devices.push((await test.register(`d${index}`)).id)
  }
  return devices
}
const label = (test: TestCloud, body: object) => {
  test.advance(1)
  return test.send('PATCH', '/api/devices', { body })
}
const labelsOf = async (test: TestCloud, id: string) =>
  ((await test.send('GET', `/api/devices/${id}`)).body['device'] as { labels: string[] }).labels

describe.each(storeKinds)('many devices at once, over %s', (kind) => {
  it('C29: adds and removes labels, and counts devices that changed', async () => {
    await using test = await createTestCloud(kind)
    const changed: string[] = []
    test.cloud.events.on('device:updated', ({ deviceId }) => changed.push(deviceId))
    const [one, two, three] = (await fill(test, 3)) as [string, string, string]
    const both = await label(test, { deviceIds: [one, two, one], labels: { add: ['b', 'a'] } })
    expect([both.status, both.body]).toEqual([200, { changed: 2 }])
    expect(await labelsOf(test, one)).toEqual(['b', 'a'])
    const more = await label(test, { filter: { labels: ['a'] }, labels: { add: ['c', 'a'], remove: ['b'] } })
    expect(more.body).toEqual({ changed: 2 })
    expect(await labelsOf(test, two)).toEqual(['a', 'c'])
    expect((await label(test, { filter: {}, labels: { add: ['a'] } })).body).toEqual({ changed: 1 })
    expect((await label(test, { filter: {}, labels: { add: ['a'] } })).body).toEqual({ changed: 0 })
    expect(await labelsOf(test, three)).toEqual(['a'])
    expect(changed.toSorted()).toEqual([one, two, one, two, three].toSorted())
    const { body } = await test.send('GET', '/api/audit?action=device:updated')
    expect((body['entries'] as { devices: { count: number } }[]).map(({ devices }) => devices.count)).toEqual(
      [1, 2, 2],
    )
  })

  it('C29: changes nothing if a device is unknown, or would have too many labels', async () => {
    await using test = await createTestCloud(kind)
    const [one, two] = (await fill(test, 2)) as [string, string]
    const unknown = await label(test, { deviceIds: [one, 'gone'], labels: { add: ['a'] } })
    expect([unknown.status, unknown.body.error]).toEqual([404, 'Device not found'])
    const thirty = Array.from({ length: 31 }, (_, index) => `l${index}`)
    await label(test, { deviceIds: [two], labels: { add: thirty } })
    const tooMany = await label(test, { filter: {}, labels: { add: ['x', 'y'] } })
    expect([tooMany.status, tooMany.body.message]).toEqual([
      400,
      `labels.add: device ${two} would have more than 32 labels`,
    ])
    expect(await labelsOf(test, one)).toEqual([])
    const bodies = [
      { labels: { add: ['a'] } },
      { deviceIds: [one], filter: {}, labels: {} },
      { deviceIds: [one], labels: { add: ['a'], remove: ['a'] } },
      { deviceIds: [one], labels: { add: ['A'] } },
      { deviceIds: [one], labels: { set: ['a'] } },
      { deviceIds: [one] },
      { deviceIds: [], labels: { add: ['a'] } },
    ]
    for (const body of bodies) expect([body, (await label(test, body)).status]).toEqual([body, 400])
    expect(await labelsOf(test, one)).toEqual([])
  })

  it('C15: deletes devices, passes over unknown ones, and ends their keys', async () => {
    await using test = await createTestCloud(kind)
    const device = await test.register()
    const [one] = await fill(test, 2)
    const remove = (deviceIds: readonly string[]) =>
      test.send('DELETE', '/api/devices', { body: { deviceIds } })
    expect((await remove([device.id, 'gone', device.id])).body).toEqual({ deleted: 1 })
    expect((await remove([device.id])).body).toEqual({ deleted: 0 })
    expect((await test.send('GET', '/api/devices/search/pending', { headers: device.headers })).status).toBe(
      401,
    )
    const { devices } = (await test.send('GET', '/api/devices')).body
    expect(devices).toHaveLength(2)
    expect((await remove([])).status).toBe(400)
    expect((await remove(Array.from({ length: 1001 }, () => one!))).status).toBe(400)
  })
})

describe.each(storeKinds)('entity tags over %s', (kind) => {
  const things = {
    device: async (test: TestCloud) => `/api/devices/${(await test.register()).id}`,
    'saved search': async (test: TestCloud) => {
      const body = { name: 'n', query: 'q', scope: ['files'], filter: {} }
      const made = await test.send('POST', '/api/devices/saved-searches', { body })
      return `/api/devices/saved-searches/${(made.body['savedSearch'] as { id: string }).id}`
    },
    webhook: async (test: TestCloud) => {
      const body = { url: 'https://a.example/', events: ['device.offline'] }
      const made = await test.send('POST', '/api/webhooks', { body })
      return `/api/webhooks/${(made.body['webhook'] as { id: string }).id}`
    },
  }
  const changes = {
    device: (text: string) => ['PATCH', { name: text }] as const,
    'saved search': (text: string) =>
      ['PUT', { name: text, query: 'q', scope: ['files'], filter: {} }] as const,
    webhook: (text: string) => ['PUT', { url: `https://${text}.example/` }] as const,
  }
  const webhooks = { check: async () => undefined, send: async () => ({ status: 204 }) }

  it.each(Object.keys(things) as (keyof typeof things)[])(
    'ties a change of a %s to what was read',
    async (name) => {
      await using test = await createTestCloud(kind, { webhooks })
      const path = await things[name](test)
      const read = async () => (await test.send('GET', path)).headers.get('etag')!
      const change = (text: string, ifMatch: string) => {
        const [method, body] = changes[name](text)
        return test.send(method, path, { body, headers: { 'if-match': ifMatch } })
      }
      const first = await read()
      expect(first).toMatch(/^"[\w-]+"$/)
      expect(await read()).toBe(first)
      const second = await change('one', `"x", ${first}`)
      expect(second.status).toBe(200)
      expect(second.headers.get('etag')).toBe(await read())
      for (const stale of [first, `W/${await read()}`, '"x"']) {
        const refused = await change('two', stale)
        expect([refused.status, refused.body.error]).toEqual([412, 'Precondition failed'])
      }
      for (const wrong of ['x', '"a', 'nonsense, "x"', ''])
        expect((await change('two', wrong)).status).toBe(400)
      expect((await change('three', '*')).status).toBe(200)
      const now = await read()
      const race = await Promise.all(['w', 'x', 'y', 'z'].map((text) => change(text, now)))
      expect(race.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 412, 412, 412])
      const remove = (ifMatch: string) => test.send('DELETE', path, { headers: { 'if-match': ifMatch } })
      expect((await remove(first)).status).toBe(412)
      expect((await remove(await read())).status).toBe(200)
      expect((await remove('*')).status).toBe(404)
    },
  )

  it('presence does not change the tag of a device', async () => {
    await using test = await createTestCloud(kind)
    const device = await test.register()
    const read = async () => (await test.send('GET', `/api/devices/${device.id}`)).headers.get('etag')
    const before = await read()
    await test.send('POST', '/api/devices/heartbeat', {
      headers: device.headers,
      body: { metadata: { os: 'Linux', uptime: 5 } },
    })
    expect(await read()).toBe(before)
    await label(test, { deviceIds: [device.id], labels: { add: ['a'] } })
    expect(await read()).not.toBe(before)
  })
})
