import * as z from 'zod/mini'
import { FoundFile } from './search.ts'

/** A row of a catalog, after its first line: a file as in the results of a search, without lines of its text. */
export const CatalogFile = z.omit(FoundFile, { matches: true })
export type CatalogFile = z.infer<typeof CatalogFile>

/** Limits of a catalog. A device omits the rest of its files. */
export const catalogLimits = {
  /** Bytes of the compressed body. */
  compressedBytes: 64 * 1024 * 1024,
  /** Bytes of the lines. */
  bytes: 1024 * 1024 * 1024,
  /** Bytes of a line. */
  lineBytes: 32 * 1024,
  files: 5_000_000,
} as const
