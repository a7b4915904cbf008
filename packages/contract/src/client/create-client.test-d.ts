import { expectTypeOf, it } from 'vitest'
import { type Device, deviceCloudOperations, type UploadResult } from '../device-cloud/index.ts'
import { createCaller, createClient } from './index.ts'

const client = createClient(deviceCloudOperations, { baseUrl: 'http://127.0.0.1:3000' })
const call = createCaller(deviceCloudOperations, { baseUrl: 'http://127.0.0.1:3000' })

it('gives the documented reply of each operation', () => {
  expectTypeOf(client.listDevices()).resolves.toHaveProperty('devices').toEqualTypeOf<Device[]>()
  expectTypeOf(client.uploadFile).returns.resolves.toEqualTypeOf<UploadResult>()
  expectTypeOf(client.downloadFile).returns.resolves.toEqualTypeOf<ReadableStream<Uint8Array>>()
  expectTypeOf(call('listPendingSearches')).resolves.toHaveProperty('headers').toEqualTypeOf<Headers>()
})

it('asks for the inputs that an operation has', () => {
  void client.listDevices({ query: { limit: '10' } })
  void client.createSearches({ body: { query: 'a', scope: ['files'], deviceIds: ['d'] } })
  void client.cancelUpload({ params: { id: 'u' }, signal: new AbortController().signal })
  void client.uploadFile({ form: { requestId: 'u', error: 'gone' } })
  void client.uploadFile({
    form: { requestId: 'u' },
    file: { fileName: 'a', size: 1, content: new Blob(['a']) },
  })
  // @ts-expect-error the body is required
  void client.createSearches()
  // @ts-expect-error path parameters are required
  void client.deleteDevice({})
  // @ts-expect-error the form is required
  void client.uploadFile({})
})

it('refuses inputs that an operation does not have', () => {
  // @ts-expect-error a list takes no body
  void client.listDevices({ body: {} })
  // @ts-expect-error no such query parameter
  void client.listDevices({ query: { owner: 'ann' } })
  // @ts-expect-error a JSON operation takes no file
  void client.sendHeartbeat({ body: { metadata: {} }, file: { fileName: 'a', size: 1, content: new Blob() } })
  // @ts-expect-error no such operation
  void call('dropTables')
})
