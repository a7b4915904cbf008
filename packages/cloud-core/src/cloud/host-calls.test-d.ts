import { expectTypeOf, it } from 'vitest'
import type { DeviceCloudCalls } from './device-cloud-calls.ts'
import type { UserOperations } from './user-operations.ts'

type Replies<Calls> = {
  [Name in keyof Calls]: Calls[Name] extends (...given: never) => infer Reply ? Reply : never
}

it('names every operation of users, and returns what the operation returns', () => {
  expectTypeOf<keyof DeviceCloudCalls>().toEqualTypeOf<keyof UserOperations>()
  expectTypeOf<Replies<UserOperations>>().toExtend<Replies<DeviceCloudCalls>>()
})
