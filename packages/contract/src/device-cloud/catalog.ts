import * as z from 'zod/mini'
import { Timestamp } from './text.ts'

/** The list of files that a device has uploaded, so that searches return results while the device is offline. */
export const DeviceCatalog = z.object({
  /** Time at which the device listed its files. */
  asOf: Timestamp,
  /** Rows of the list. */
  files: z.int().check(z.gte(0)),
  /** Size of the stored, compressed list in bytes. */
  bytes: z.int().check(z.gte(0)),
})
export type DeviceCatalog = z.infer<typeof DeviceCatalog>

/** First line of a catalog. Each of the `files` lines after it is a `CatalogFile`. */
export const CatalogHead = z.pick(DeviceCatalog, { asOf: true, files: true })
export type CatalogHead = z.infer<typeof CatalogHead>
