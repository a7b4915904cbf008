import { expect, it } from 'vitest'
import { createTestCloud, storeKinds } from './test-cloud.ts'

it.each(storeKinds)(
  'C9, C15: a machine and its clone, with one key, are one device: each search has one outcome, and a new key parts them (%s)',
  async (kind) => {
    await using test = await createTestCloud(kind)
    const { id, headers: cloned } = await test.register()
    const poll = async (headers: Record<string, string>) =>
      (await test.send('GET', '/api/devices/search/pending', { headers })).body.requests
    const heartbeat = async (headers: Record<string, string>, hardware: string) =>
      (
        await test.send('POST', '/api/devices/heartbeat', {
          body: { status: 'online', metadata: { hardware } },
          headers,
        })
      ).status

    expect([await heartbeat(cloned, 'machine'), await heartbeat(cloned, 'clone')]).toEqual([200, 200])
    expect((await test.send('GET', '/api/devices')).body.devices).toMatchObject([{ id, status: 'online' }])

    const body = { query: 'report', scope: ['files'], deviceIds: [id] }
    const created = await test.send('POST', '/api/devices/search/query', { body })
    const queryId = created.body.searchQueries![0]!.id
    expect([await poll(cloned), await poll(cloned)]).toMatchObject([[{ id: queryId }], [{ id: queryId }]])
    const answers = await Promise.all(
      [{ files: [] }, { apps: [] }].map((results) =>
        test.send('POST', '/api/devices/search', { body: { queryId, results }, headers: cloned }),
      ),
    )
    expect(answers.map(({ status, body: { success } }) => [status, success])).toEqual([
      [200, true],
      [200, true],
    ])
    expect(await poll(cloned)).toEqual([])
    const { results } = (await test.send('GET', '/api/devices/search/query')).body
    expect(results).toHaveLength(1)
    expect(Object.keys(results![0]!['results'] as object)).toHaveLength(1)

    const rotated = await test.send('POST', `/api/devices/${id}/rotate-key`)
    const renewed = { authorization: `Bearer ${rotated.body.apiKey}` }
    expect([await heartbeat(renewed, 'machine'), await heartbeat(cloned, 'clone')]).toEqual([200, 401])
  },
)
