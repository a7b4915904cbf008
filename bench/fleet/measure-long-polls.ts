import { fromSource, startChild } from '../child.ts'
import { startPostgresServer } from '../durable-queue/postgres-server.ts'
import type { Measurement } from '../measurement.ts'
import type { HoldPollsCalls } from './hold-polls.ts'
import { seedDevices } from './seed-devices.ts'

/** Devices that get work at once. */
const woken = 1000

/** Memory of polls that wait (C22), each of a device of its own, without their sockets; and how soon they are answered. */
export async function measureLongPolls(count: number): Promise<readonly Measurement[]> {
  await using postgres = await startPostgresServer()
  const { connectionString } = postgres
  const devices = await seedDevices(connectionString, count)
  const module = new URL('hold-polls.ts', import.meta.url)
  await using holder = startChild<HoldPollsCalls>(module, [connectionString], [...fromSource, '--expose-gc'])
  await holder.call.warmUp(devices)
  const before = await holder.call.usage()
  await holder.call.hold(devices)
  const after = await holder.call.usage()
  const ms = await holder.call.wake(devices.slice(0, woken))
  return [
    {
      name: `memory per long poll, of ${count.toLocaleString('en')}`,
      value: Math.round((after.heapBytes - before.heapBytes) / count),
      unit: 'heap bytes',
      details: { rssMegabytes: after.rssBytes / 1e6, rssMegabytesBefore: before.rssBytes / 1e6 },
    },
    {
      name: `work for ${woken.toLocaleString('en')} long polls, until all have it`,
      value: Math.round(ms),
      unit: 'ms',
    },
  ]
}
