import { setTimeout as sleep } from 'node:timers/promises'
import { CaseSkip, check } from '../../conformance-case.ts'
import { decisions, operations } from '../../references.ts'
import { type CloudCase, expectError, expectStatus, rowsIn } from '../cloud-trial.ts'

const listPath = '/api/devices/search/pending'

/** Paging, rates, sizes and waiting. */
export const limitCases: readonly CloudCase[] = [
  {
    id: 'paging',
    title: 'Pages of one row give every row once, newest first, and end without a cursor.',
    holds: decisions.paging,
    async run(trial) {
      const device = await trial.register()
      const made: string[] = []
      for (const query of ['a', 'b', 'c']) {
        made.push(await trial.addSearch(device, query))
        await sleep(5)
      }
      const got: unknown[] = []
      let cursor: unknown
      do {
        const more = typeof cursor === 'string' ? `&cursor=${encodeURIComponent(cursor)}` : ''
        const page = await trial.call('GET', `/api/devices/search/query?deviceId=${device.id}&limit=1${more}`)
        got.push(...rowsIn(page, 'results').map(({ id }) => id))
        cursor = page.body['nextCursor']
      } while (typeof cursor === 'string' && got.length < 10)
      check(
        String(got) === String(made.toReversed()),
        `Pages must give the three searches once, newest first, got ${got.length}.`,
      )
    },
  },
  {
    id: 'paging-invalid',
    title: 'A limit of 0 and a cursor that nobody gave are validation errors.',
    holds: decisions.paging,
    async run(trial) {
      for (const query of ['limit=0', 'limit=x', 'cursor=no-such-cursor']) {
        const answer = await trial.call('GET', `/api/devices?${query}`)
        expectError(answer, `GET /api/devices?${query}`, 400, 'Validation error')
      }
    },
  },
  {
    id: 'list-limit',
    title: 'A device gets at most 20 searches at once, the oldest first, and the others afterwards.',
    holds: decisions.paging,
    async run(trial) {
      const device = await trial.register()
      const made: string[] = []
      for (let at = 0; at < 22; at += 1) made.push(await trial.addSearch(device, `query ${at}`))
      const first = rowsIn(await device.call('GET', listPath), 'requests').map(({ id }) => id)
      check(
        first.length <= 20 && first[0] === made[0],
        `The list must hold 20 searches at most, the oldest first, got ${first.length}.`,
      )
      for (const queryId of first) {
        const answer = await device.call('POST', '/api/devices/search', {
          json: { queryId, results: {}, error: null },
        })
        if (answer.status === 429) await sleep(1000)
      }
      const rest = rowsIn(await device.call('GET', listPath), 'requests')
      check(rest.length > 0, 'The searches that were left out must be listed afterwards.')
    },
  },
  {
    id: 'rate-limit',
    title: 'A device that asks far too often gets 429 with Retry-After in whole seconds.',
    holds: decisions.rates,
    async run(trial) {
      const device = await trial.register()
      const answers = await Promise.all(Array.from({ length: 40 }, () => device.call('GET', listPath)))
      const refused = answers.find(({ status }) => status === 429)
      check(
        answers.some(({ status }) => status === 200),
        'Some of the requests must be answered.',
      )
      check(refused !== undefined, 'Of 40 polls at once some must get 429.')
      const wait = refused.headers.get('retry-after') ?? ''
      check(
        /^[1-9]\d*$/.test(wait),
        `"Retry-After" must be a whole number of seconds, at least 1, got "${wait}".`,
      )
    },
  },
  {
    id: 'large-report',
    title: 'A report beyond the limit gets 413, and the search stays open.',
    holds: decisions.sizes,
    async run(trial) {
      const device = await trial.register()
      const queryId = await trial.addSearch(device, 'a')
      const json = { queryId, results: { note: 'x'.repeat(6 * 1024 * 1024) }, error: null }
      expectStatus(await device.call('POST', '/api/devices/search', { json }), 'A report of 6 MiB', 413)
      check((await trial.readSearch(queryId))['status'] === 'pending', 'The search must still be pending.')
    },
  },
  {
    id: 'held-poll',
    title: 'A list asked for with Prefer: wait is answered as soon as there is work.',
    holds: decisions.holding,
    async run(trial) {
      const device = await trial.register()
      const startMs = performance.now()
      const poll = device.call('GET', listPath, { headers: { prefer: 'wait=8' } })
      await sleep(400)
      const id = await trial.addSearch(device, 'a')
      const answer = await poll
      if (answer.headers.get('preference-applied') === null)
        throw new CaseSkip('This server does not support long polls.')
      const tookMs = performance.now() - startMs
      check(
        String(rowsIn(answer, 'requests').map((row) => row['id'])) === id,
        'The answer must have the new search.',
      )
      check(tookMs < 5000, `The answer must come at once when there is work, got ${Math.round(tookMs)} ms.`)
    },
  },
  {
    id: 'unknown-path',
    title: 'A path that does not exist gets 404.',
    holds: operations.devices,
    async run(trial) {
      expectStatus(await trial.call('GET', '/api/devices/no/such/path'), 'An unknown path', 404)
    },
  },
  {
    id: 'query-text-invalid',
    title: 'Search text that is empty, too long or holds a zero byte is a validation error.',
    holds: decisions.searchText,
    async run(trial) {
      const { id } = await trial.register()
      for (const query of ['', '   ', 'x'.repeat(1001), 'a\u0000b', 7]) {
        const json = { query, scope: ['files'], deviceIds: [id] }
        const answer = await trial.call('POST', '/api/devices/search/query', { json })
        expectError(answer, `the search text ${JSON.stringify(query).slice(0, 20)}`, 400, 'Validation error')
      }
    },
  },
]
