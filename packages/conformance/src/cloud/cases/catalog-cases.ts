import { gzipSync } from 'node:zlib'
import { check } from '../../conformance-case.ts'
import { operations } from '../../references.ts'
import { type CloudCase, type CloudTrial, expectStatus, type OwnDevice } from '../cloud-trial.ts'

const asOf = '2026-01-02T03:04:05.000Z'
const files = ['invoice March.pdf', 'photo.jpg'].map((name) => ({
  path: `/a/${name}`,
  name,
  size: 3,
  modified: '2026-01-01T00:00:00.000Z',
}))

function send(device: OwnDevice, count = files.length) {
  const lines = [{ asOf, files: count }, ...files].map((row) => `${JSON.stringify(row)}\n`)
  const headers = { 'content-type': 'application/x-ndjson', 'content-encoding': 'gzip' }
  return device.call('PUT', '/api/devices/catalog', { body: gzipSync(lines.join('')), headers })
}

async function expectAnswer(trial: CloudTrial, id: string, names: string): Promise<void> {
  const { status, results } = await trial.readSearch(id)
  check(status === 'pending', `The search must wait for the device, but its status is ${String(status)}.`)
  const { files: found = [], ...rest } = (results ?? {}) as {
    files?: { name: string }[]
    source?: string
    asOf?: string
  }
  const got = found.map(({ name }) => name).join(', ')
  check(got === names, `The catalog must give "${names}", got "${got}".`)
  if (names === '') return
  check(rest.source === 'catalog', `"results.source" must be "catalog", got ${JSON.stringify(rest.source)}.`)
  check(rest.asOf === asOf, `"results.asOf" must be ${asOf}, got ${JSON.stringify(rest.asOf)}.`)
}

/** What clouds do with the lists of files of devices that are off. */
export const catalogCases: readonly CloudCase[] = [
  {
    id: 'catalog-answers',
    title: 'A search that waits for its device has the files of its catalog, until the device answers.',
    holds: operations.sendCatalog,
    async run(trial) {
      const device = await trial.register()
      expectStatus(await send(device), 'A catalog', 200)
      const id = await trial.addSearch(device, 'invoice')
      await expectAnswer(trial, id, 'invoice March.pdf')
      const json = { queryId: id, results: { files: [] }, error: null }
      expectStatus(await device.call('POST', '/api/devices/search', { json }), 'The report', 200)
      const { status, results } = await trial.readSearch(id)
      const { source } = (results ?? {}) as { source?: string }
      check(
        status === 'completed' && source !== 'catalog',
        'The answer of the device must replace the catalog.',
      )
    },
  },
  {
    id: 'catalog-count',
    title: 'A catalog with another number of rows than it says gets 400, and the one before stays.',
    holds: operations.sendCatalog,
    async run(trial) {
      const device = await trial.register()
      expectStatus(await send(device), 'A catalog', 200)
      expectStatus(await send(device, 3), 'A catalog that lacks a row', 400)
      await expectAnswer(trial, await trial.addSearch(device, 'photo'), 'photo.jpg')
    },
  },
  {
    id: 'catalog-removed',
    title: 'The device and its owner can remove the catalog; a search then waits without files.',
    holds: operations.removeCatalog,
    async run(trial) {
      const device = await trial.register()
      for (const remove of [
        () => device.call('DELETE', '/api/devices/catalog'),
        () => trial.call('DELETE', `/api/devices/${device.id}/catalog`),
      ]) {
        expectStatus(await send(device), 'A catalog', 200)
        expectStatus(await remove(), 'The removal', 200, 204)
        await expectAnswer(trial, await trial.addSearch(device, 'photo'), '')
      }
    },
  },
]
