import { CaseSkip, check } from '../../conformance-case.ts'
import { operations } from '../../references.ts'
import { type CloudCase, type CloudTrial, expectError, expectStatus, rowsIn } from '../cloud-trial.ts'

const isTime = (value: unknown) =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) && !Number.isNaN(Date.parse(value))

/** The device as the user sees it in the list. */
export async function listed(
  trial: CloudTrial,
  id: string,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  return rowsIn(await trial.call('GET', '/api/devices'), 'devices').find((device) => device['id'] === id)
}

/** Every request that a device makes. */
const deviceRequests = [
  ['POST', '/api/devices/heartbeat'],
  ['GET', '/api/devices/search/pending'],
  ['POST', '/api/devices/search'],
  ['GET', '/api/devices/files/upload-requests/pending'],
  ['POST', '/api/devices/files/upload'],
] as const

/** Devices, presence and credentials. */
export const deviceCases: readonly CloudCase[] = [
  {
    id: 'register-device',
    title: 'A registration gives the new device, which is offline, and its API key.',
    holds: operations.register,
    async run(trial) {
      const json = { name: 'conformance', type: 'server', platform: 'linux', metadata: { os: 'Linux' } }
      const { body, status } = await trial.call('POST', '/api/devices', { json })
      const device = (body['device'] ?? {}) as Readonly<Record<string, unknown>>
      if (typeof device['id'] === 'string') await trial.call('DELETE', `/api/devices/${device['id']}`)
      check(status === 200 || status === 201, `A registration must get 200 or 201, got ${status}.`)
      for (const name of ['name', 'type', 'platform'] as const) {
        check(
          device[name] === json[name],
          `"device.${name}" must be "${json[name]}", got ${JSON.stringify(device[name])}.`,
        )
      }
      check(
        device['status'] === 'offline',
        `"device.status" must be "offline", got ${JSON.stringify(device['status'])}.`,
      )
      check(isTime(device['createdAt']), '"device.createdAt" must be an ISO 8601 time.')
      const key = body['apiKey']
      check(
        typeof key === 'string' && /^[a-z]+_\S{20,}$/i.test(key),
        '"apiKey" must be a prefix, an underscore and a long random text.',
      )
    },
  },
  {
    id: 'registration-invalid',
    title: 'A registration without a name is a validation error that names the problem.',
    holds: operations.register,
    async run(trial) {
      const answer = await trial.call('POST', '/api/devices', { json: { type: 'server', platform: 'linux' } })
      expectError(answer, 'a registration without a name', 400, 'Validation error')
      check(typeof answer.body['message'] === 'string', '"message" must name the problem.')
    },
  },
  {
    id: 'list-devices',
    title: 'The list has the device with its fields, and no key.',
    holds: operations.devices,
    async run(trial) {
      const { id, key } = await trial.register()
      const device = await listed(trial, id)
      check(device !== undefined, 'The list must have the new device.')
      for (const name of ['name', 'type', 'platform', 'status', 'metadata', 'createdAt']) {
        check(device[name] !== undefined, `The device must have "${name}".`)
      }
      check(!JSON.stringify(device).includes(key), 'The list must not hold the API key.')
    },
  },
  {
    id: 'heartbeat',
    title: 'A heartbeat shows the device as online, and stores its metadata.',
    holds: operations.heartbeat,
    async run(trial) {
      const device = await trial.register()
      const metadata = { os: 'Linux', version: '6.1', hardware: 'x86_64' }
      const answer = await device.call('POST', '/api/devices/heartbeat', {
        json: { metadata, addedLater: 1 },
      })
      expectStatus(answer, 'A heartbeat', 200)
      const { success, status } = answer.body
      check(
        success === true && status === 'online',
        `A heartbeat must get {success: true, status: "online"}, got ${JSON.stringify(answer.body)}.`,
      )
      const row = await listed(trial, device.id)
      check(row?.['status'] === 'online', 'After a heartbeat the device must be online.')
      check(isTime(row['lastSeenAt']), '"lastSeenAt" must be an ISO 8601 time.')
      const stored = row['metadata'] as Readonly<Record<string, unknown>>
      check(stored['version'] === '6.1', 'The metadata of the heartbeat must be stored.')
    },
  },
  {
    id: 'refused-key',
    title: 'A missing or invalid key gets 401 with the documented body, on every request of a device.',
    holds: operations.heartbeat,
    async run(trial) {
      for (const [method, path] of deviceRequests) {
        for (const headers of [{}, { authorization: 'Bearer hw_wrong' }, { authorization: 'Basic eDp5' }]) {
          const answer = await trial.call(method, path, { session: false, headers })
          expectError(answer, `${method} ${path} without a valid key`, 401, 'Invalid or missing API key')
        }
      }
    },
  },
  {
    id: 'session-needed',
    title: 'Requests of users without a session are refused.',
    holds: operations.devices,
    async run(trial) {
      if (!trial.hasToken) throw new CaseSkip('This server takes requests without a token.')
      const headers = { authorization: 'Bearer hwt_wrong' }
      for (const path of ['/api/devices', '/api/devices/search/query']) {
        const { status } = await trial.call('GET', path, { session: false, headers })
        check(
          status === 401 || status === 403,
          `GET ${path} with a wrong token must get 401 or 403, got ${status}.`,
        )
      }
    },
  },
  {
    id: 'broken-json',
    title: 'A body that is not JSON is a validation error.',
    holds: operations.heartbeat,
    async run(trial) {
      const device = await trial.register()
      const headers = { 'content-type': 'application/json' }
      const answer = await device.call('POST', '/api/devices/heartbeat', { body: '{"metadata":', headers })
      expectError(answer, 'a broken body', 400, 'Validation error')
    },
  },
]
