import { generateKeyPairSync } from 'node:crypto'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { createDriveBlobs, type DriveBlobsOptions } from '../index.ts'
import { createDriveStandIn, type DriveStandIn } from './drive-stand-in.ts'

const { publicKey, privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
})

/** The account that the stand-in knows. */
export const account = { clientEmail: 'files@homeward.iam.example', privateKey, privateKeyId: 'key-1' }
/** Bytes of a piece of a file on its way: as few as Drive takes. */
export const chunkBytes = 256 * 1024

/** Lets the tests of a file speak with a stand-in of Drive. @param begin gets a new one for each of them */
export function useDrive(begin: (drive: DriveStandIn) => void): void {
  const server = setupServer()
  beforeAll(() => server.listen({ onUnhandledFrame: 'error' }))
  beforeEach(() => {
    const drive = createDriveStandIn(publicKey, account.clientEmail)
    server.use(...drive.handlers)
    begin(drive)
  })
  afterEach(() => server.resetHandlers())
  afterAll(() => server.close())
}

/** A store over it, whose pauses take no time. */
export const createBlobs = (options: Partial<DriveBlobsOptions> = {}) =>
  createDriveBlobs({ account, folderId: 'folder-1', chunkBytes, retryDelayMs: 1, ...options })
