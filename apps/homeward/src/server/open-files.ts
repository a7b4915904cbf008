import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createFsBlobs } from '@homeward/cloud-core/blobs/fs'
import type { BlobStore } from '@homeward/cloud-core'
import * as z from 'zod'
import type { CloudSettings, S3Settings } from '../settings/cloud-settings.ts'

/** Where files of the device cloud go. */
interface CloudFiles {
  readonly blobs: BlobStore
  /** Where chunks of large ones wait until they are whole. */
  readonly chunks: BlobStore
}

const KeyFile = z.object({
  client_email: z.string(),
  private_key: z.string(),
  private_key_id: z.string().optional(),
})

/**
 * Opens what the environment chose: a bucket, a folder of Google Drive, both at once, or a folder of the data home. Chunks
 * wait in the bucket where there is one, since several servers may share it, else in the data home.
 *
 * @throws {Error} that says what to do, when the key file cannot be used.
 */
export async function openFiles(
  { s3, drive }: Pick<CloudSettings, 's3' | 'drive'>,
  home: string,
): Promise<CloudFiles> {
  const stores: BlobStore[] = []
  if (s3) stores.push(await openBucket(s3, 'homeward/'))
  if (drive) stores.push(await openDrive(drive))
  const [first = createFsBlobs({ folder: join(home, 'files') }), ...others] = stores
  const chunks = s3
    ? await openBucket(s3, 'homeward-chunks/')
    : createFsBlobs({ folder: join(home, 'chunks') })
  if (others.length === 0) return { blobs: first, chunks }
  const { createReplicatedBlobs } = await import('@homeward/cloud-core/blobs/replicated')
  const onError = (error: unknown) => console.error('cloud:', error)
  return { blobs: createReplicatedBlobs({ stores: [first, ...others], onError }), chunks }
}

async function openBucket(
  { publicUrl, linkSeconds, ...bucket }: S3Settings,
  keyPrefix: string,
): Promise<BlobStore> {
  const { createS3Blobs } = await import('@homeward/cloud-core/blobs/s3')
  const links =
    publicUrl === undefined
      ? ({ kind: 'presigned', expiresInSeconds: linkSeconds } as const)
      : ({ kind: 'public', baseUrl: publicUrl } as const)
  return createS3Blobs({ ...bucket, keyPrefix, links })
}

async function openDrive({ keyFile, folderId }: NonNullable<CloudSettings['drive']>): Promise<BlobStore> {
  const text = await readFile(keyFile, 'utf8').catch((cause: unknown) => {
    throw new Error(
      'Starting the server failed: DRIVE_KEY_FILE cannot be read. Check its path and its mode.',
      {
        cause,
      },
    )
  })
  const key = parseKeyFile(text)
  if (!key)
    throw new Error(
      'Starting the server failed: DRIVE_KEY_FILE is not the JSON key file of a service account.',
    )
  const { createDriveBlobs } = await import('@homeward/cloud-core/blobs/drive')
  const account = {
    clientEmail: key.client_email,
    privateKey: key.private_key,
    ...(key.private_key_id !== undefined && { privateKeyId: key.private_key_id }),
  }
  return createDriveBlobs({ account, folderId })
}

/** What was wrong with the text is not told: it would quote the key. */
function parseKeyFile(text: string): z.infer<typeof KeyFile> | undefined {
  try {
    return KeyFile.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
