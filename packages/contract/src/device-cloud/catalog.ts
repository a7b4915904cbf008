import * as z from 'zod/mini'
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

/** First line of a catalog. Each of the `files` lines after it is a `CatalogFile`. */
export const CatalogHead = z.pick(DeviceCatalog, { asOf: true, files: true })
export type CatalogHead = z.infer<typeof CatalogHead>
