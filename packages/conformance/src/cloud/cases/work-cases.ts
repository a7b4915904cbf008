import { CaseSkip, check } from '../../conformance-case.ts'
import { operations } from '../../references.ts'
import { type CloudCase, expectStatus, rowsIn } from '../cloud-trial.ts'

const path = '/api/devices/work'

/** What clouds do with the request for all work. */
export const workCases: readonly CloudCase[] = [
  {
    id: 'work',
    title: 'The request for all work gives the searches and upload requests that the device does not have.',
    holds: operations.work,
    async run(trial) {
      const device = await trial.register()
      const ask = (working: readonly string[]) =>
        device.call('POST', path, { json: { metadata: { os: 'test' }, working } })
      const first = await ask([])
      if (first.status === 404 || first.status === 405)
        throw new CaseSkip('This server does not support the request for all work.')
      expectStatus(first, 'A request without work', 200)
      const seen = await trial.call('GET', `/api/devices/${device.id}`)
      const { device: row } = seen.body as { device?: { status?: string } }
      check(row?.status === 'online', `It must count as a heartbeat, but the device is ${row?.status}.`)
      const asked = { query: 'b', scope: ['files'], deviceIds: [device.id] }
      expectStatus(
        await trial.call('POST', '/api/devices/search/query', { json: asked }),
        'A search',
        200,
        201,
      )
      const upload = { filePath: '/a/b.txt', deviceIds: [device.id] }
      const requested = await trial.call('POST', '/api/devices/files/upload-requests', { json: upload })
      expectStatus(requested, 'A request for a file', 200, 201)
      const work = await ask([])
      const ids = ['searches', 'uploads'].map((name) => rowsIn(work, name).map(({ id }) => String(id)))
      const counts = ids.map((each) => each.length).join(' and ')
      check(counts === '1 and 1', `The device must get the search and the upload request, got ${counts}.`)
      const rest = await ask(ids[0]!)
      const left = ['searches', 'uploads'].map((name) => rowsIn(rest, name).length).join(' and ')
      check(left === '0 and 1', `Ids in "working" must be left out, got ${left} rows.`)
    },
  },
]
