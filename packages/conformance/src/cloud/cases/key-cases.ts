import { check } from '../../conformance-case.ts'
import { operations } from '../../references.ts'
import { type CloudCase, type CloudTrial, expectStatus, type OwnDevice } from '../cloud-trial.ts'
import { listed } from './device-cases.ts'

const beat = (trial: CloudTrial, key: string) =>
  trial.call('POST', '/api/devices/heartbeat', { key, json: { metadata: {} } })

async function rotate(trial: CloudTrial, { id }: OwnDevice): Promise<string> {
  const answer = await trial.call('POST', `/api/devices/${id}/rotate-key`)
  expectStatus(answer, 'A rotation', 200, 201)
  const key = answer.body['apiKey']
  check(typeof key === 'string', 'A rotation must give "apiKey".')
  return key
}

/** Keys that change and end, and devices that are changed. */
export const keyCases: readonly CloudCase[] = [
  {
    id: 'key-rotated',
    title: 'A new key works at once, and ends the old one with its first use.',
    holds: operations.rotate,
    async run(trial) {
      const device = await trial.register()
      const key = await rotate(trial, device)
      check(key !== device.key, 'The new key must be another one.')
      expectStatus(await beat(trial, device.key), 'The old key, before the new one was used,', 200)
      expectStatus(await beat(trial, key), 'The new key', 200)
      expectStatus(await beat(trial, device.key), 'The old key, after the new one was used,', 401)
    },
  },
  {
    id: 'device-deleted',
    title: 'A deleted device is gone from the list, and its key is refused at once.',
    holds: operations.deleteDevice,
    async run(trial) {
      const device = await trial.register()
      expectStatus(await beat(trial, device.key), 'A heartbeat', 200)
      expectStatus(await trial.call('DELETE', `/api/devices/${device.id}`), 'A deletion', 200)
      expectStatus(await beat(trial, device.key), 'The key of a deleted device', 401)
      check((await listed(trial, device.id)) === undefined, 'A deleted device must not be listed.')
      expectStatus(await trial.call('GET', `/api/devices/${device.id}`), 'A deleted device', 404)
    },
  },
  {
    id: 'device-changed',
    title: 'A device can be renamed and labeled, and is found by its label.',
    holds: operations.updateDevice,
    async run(trial) {
      const { id } = await trial.register()
      const label = `conformance-${id
        .toLowerCase()
        .replaceAll(/[^a-z0-9]/g, '')
        .slice(0, 40)}`
      const change = { name: 'renamed', labels: [label] }
      expectStatus(await trial.call('PATCH', `/api/devices/${id}`, { json: change }), 'A change', 200)
      const { body } = await trial.call('GET', `/api/devices/${id}`)
      check(
        (body['device'] as { readonly name?: unknown } | undefined)?.name === 'renamed',
        'The device must have its new name.',
      )
      const { body: list } = await trial.call('GET', `/api/devices?label=${label}&count=true`)
      const ids = (list['devices'] as readonly { readonly id: unknown }[] | undefined)?.map(
        (device) => device.id,
      )
      check(
        String(ids) === id && list['total'] === 1,
        `"label" must find this device only, got ${JSON.stringify(ids)}.`,
      )
    },
  },
  {
    id: 'registration-repeated',
    title: 'A registration with the same Idempotency-Key creates nothing and gives the first answer.',
    holds: operations.register,
    async run(trial) {
      const headers = { 'idempotency-key': crypto.randomUUID() }
      const json = { name: 'conformance', type: 'server', platform: 'linux', metadata: {} }
      const ids = new Set<unknown>()
      for (const attempt of [1, 2]) {
        const { body, status } = await trial.call('POST', '/api/devices', { json, headers })
        check(status === 200 || status === 201, `Attempt ${attempt} must get 200 or 201, got ${status}.`)
        ids.add((body['device'] as { readonly id?: unknown } | undefined)?.id)
      }
      for (const id of ids) await trial.call('DELETE', `/api/devices/${String(id)}`)
      check(ids.size === 1, 'Both answers must name the same device.')
    },
  },
  {
    id: 'search-canceled',
    title:
      'A pending search that the user cancels gets the status "failed" and the error "canceled", and the device no longer receives it.',
    holds: operations.deleteSearch,
    async run(trial) {
      const device = await trial.register()
      const id = await trial.addSearch(device, 'a')
      expectStatus(await trial.call('DELETE', `/api/devices/search/query/${id}`), 'A cancellation', 200)
      const row = await trial.readSearch(id)
      check(
        row['status'] === 'failed' && row['error'] === 'canceled',
        'The search must have the status "failed" and the error "canceled".',
      )
      const { body } = await device.call('GET', '/api/devices/search/pending')
      check(JSON.stringify(body['requests']) === '[]', 'A canceled search must not be listed for the device.')
    },
  },
]
