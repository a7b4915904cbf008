import { expectTypeOf, it } from 'vitest'
import { deviceCloudOperations, type DeviceCloudOperations } from '../device-cloud/index.ts'
import { createHandler, type HandlersOf } from './index.ts'

type Callers = { device: { deviceId: string }; session: { userId: string } }
type Handlers = HandlersOf<DeviceCloudOperations, Callers>

it('asks for every operation of the table', () => {
  const handlers = {} as Omit<Handlers, 'reportSearch'>
  const authenticate = { device: () => ({ deviceId: 'd' }), session: () => ({ userId: 'u' }) }
  // @ts-expect-error a handler map that lacks an operation does not compile
  createHandler<DeviceCloudOperations, Callers>({ operations: deviceCloudOperations, handlers, authenticate })
})

it('gives each handler its caller, its parsed input and its documented reply', () => {
  type Call = Parameters<Handlers['createSearches']>[0]
  expectTypeOf<Call['caller']>().toEqualTypeOf<{ userId: string }>()
  expectTypeOf<Call['body']['deviceIds']>().toEqualTypeOf<string[] | undefined>()
  expectTypeOf<Parameters<Handlers['listDevices']>[0]['query']['limit']>().toEqualTypeOf<number | undefined>()
  expectTypeOf<Awaited<ReturnType<Handlers['deleteDevice']>>>().toEqualTypeOf<{ success: true }>()
})
