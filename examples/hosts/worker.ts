import { createDeviceCloud, deviceCloudPaths, type DeviceCloud } from '@homeward/cloud-core'
import { createMemoryBlobs } from '@homeward/cloud-core/blobs/memory'
import { createDurableObjectStore, type DurableObjectStorage } from '@homeward/cloud-core/durable-object'

// The device cloud inside a Worker. It lives in one Durable Object: requests that reach several isolates of a Worker
// share no memory, a held poll must be where its work is announced, and no request may touch what another has opened: a
// cloud in a global fails at its creation or with the first upload.

interface Environment {
  /** Binding of the class below. */
  readonly CLOUD: {
    idFromName(name: string): unknown
    get(id: unknown): { fetch(request: Request): Promise<Response> }
  }
  /** What a dashboard sends as `Authorization: Bearer …`: put your own users here. */
  readonly DASHBOARD_TOKEN: string
  /** Path below which the cloud answers, such as `/devices`. @default none: at the root */
  readonly BASE_PATH?: string
}

export class CloudObject {
  readonly #cloud: DeviceCloud

  constructor(
    { storage }: { readonly storage: DurableObjectStorage },
    { DASHBOARD_TOKEN, BASE_PATH = '' }: Environment,
  ) {
    this.#cloud = createDeviceCloud({
      store: createDurableObjectStore(storage),
      // The bytes of files last as long as the object is in memory. Use a bucket to keep them: `@homeward/cloud-core/blobs/s3`.
      blobs: createMemoryBlobs(),
      sessions: {
        resolve: (request) =>
          DASHBOARD_TOKEN !== '' && request.header('authorization') === `Bearer ${DASHBOARD_TOKEN}`
            ? { userId: 'owner' }
            : null,
      },
      basePath: BASE_PATH,
      // Nothing runs between requests.
      flush: 'sync',
      // Whoever is answered 500 does not hear why: this is where it is told.
      onError: (error) => console.error('cloud:', error),
    })
  }

  fetch(request: Request): Promise<Response> {
    const remoteAddress = request.headers.get('cf-connecting-ip')
    return this.#cloud.fetch(request, remoteAddress === null ? {} : { remoteAddress })
  }
}

export default {
  fetch(request: Request, { CLOUD, BASE_PATH = '' }: Environment): Response | Promise<Response> {
    const { pathname } = new URL(request.url)
    if (!deviceCloudPaths.some((path) => `${pathname}/`.startsWith(`${BASE_PATH}${path}/`)))
      return new Response('Your pages')
    return CLOUD.get(CLOUD.idFromName('cloud')).fetch(request)
  },
}
