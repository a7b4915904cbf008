import * as z from 'zod/mini'
import { FoundFile } from './search.ts'

/** A row of a catalog, after its first line: a file as in search results, without matched lines. */
export const CatalogFile = z.omit(FoundFile, { matches: true })
export type CatalogFile = z.infer<typeof CatalogFile>

/** Limits of a catalog. A device omits the files beyond them. */
export const catalogLimits = {
  /** Maximum size of the compressed body in bytes. */
  compressedBytes: 64 * 1024 * 1024,
  /** Maximum size of all lines in bytes. */
  bytes: 1024 * 1024 * 1024,
  /** Maximum size of a line in bytes. */
  lineBytes: 32 * 1024,
  files: 5_000_000,
} as const
