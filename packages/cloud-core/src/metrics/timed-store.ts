import { type Meter, secondsBuckets } from '@homeward/contract/handler'
import type { CloudStore } from '../ports/cloud-store.ts'

type AnyMethod = (...args: unknown[]) => unknown

/** What is no verb of the store. */
const untimed: ReadonlySet<PropertyKey> = new Set(['subscribe', 'publish', 'close'])

/** The same store, with the time of each verb measured. There are as many series as a store has methods. */
export function timeStore(store: CloudStore, meter: Meter): CloudStore {
  const duration = meter.createHistogram('homeward.store.duration', {
    description: 'Time that a verb of the store took.',
    unit: 's',
    advice: { explicitBucketBoundaries: secondsBuckets },
  })
  const timed = new Map<PropertyKey, AnyMethod>()

  function time(verb: string, method: AnyMethod): AnyMethod {
    const attributes = { 'homeward.verb': verb }
    return (...args) => {
      const startedAt = performance.now()
      const note = () => duration.record((performance.now() - startedAt) / 1000, attributes)
      const result = method.apply(store, args)
      if (result instanceof Promise) void result.then(note, note)
      else note()
      return result
    }
  }

  return new Proxy(store, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name, target)
      if (typeof method !== 'function' || typeof name === 'symbol') return method
      let wrapped = timed.get(name)
      if (!wrapped) {
        const bound = method as AnyMethod // the types of the store hold for whoever calls it
        wrapped = untimed.has(name) ? bound.bind(target) : time(name, bound)
        timed.set(name, wrapped)
      }
      return wrapped
    },
  })
}
