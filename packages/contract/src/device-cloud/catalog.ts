import * as z from 'zod/mini'
import { FoundFile } from './search.ts'
import { Timestamp } from './text.ts'

/** The list of files that a device left with the cloud, so that searches have an answer while the device is off. */
export const DeviceCatalog = z.object({
  /** When the device looked at its files. */
  asOf: Timestamp,
  /** Rows of the list. */
  files: z.int().check(z.gte(0)),
  /** Size of the list as it is stored, compressed. */
  bytes: z.int().check(z.gte(0)),
})
export type DeviceCatalog = z.infer<typeof DeviceCatalog>

/** First line of a catalog. Each of the `files` lines after it is a {@link CatalogFile}. */
export const CatalogHead = z.pick(DeviceCatalog, { asOf: true, files: true })
export type CatalogHead = z.infer<typeof CatalogHead>

/** A row of a catalog: a file as in the results of a search, without lines of its text. */
export const CatalogFile = z.omit(FoundFile, { matches: true })
export type CatalogFile = z.infer<typeof CatalogFile>

/** What a catalog may have. A device leaves out the rest of its files. */
export const catalogLimits = {
  /** Bytes of the compressed body. */
  compressedBytes: 64 * 1024 * 1024,
  /** Bytes of the lines. */
  bytes: 1024 * 1024 * 1024,
  /** Bytes of a line. */
  lineBytes: 32 * 1024,
  files: 5_000_000,
} as const
