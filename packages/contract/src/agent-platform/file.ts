import * as z from 'zod/mini'
import { FileBytes } from '../file-bytes.ts'
import { orAbsent, PlatformId } from './values.ts'

/** Maximum number of files per message. */
export const maxFiles = 20

/** A stored file of a message. `GET /api/files/{id}` returns its bytes. */
export const FileReference = z.object({
  id: PlatformId,
  /** Name without a path. */
  name: z.string(),
  media_type: z.string(),
  /** Size in bytes. */
  bytes: z.int(),
  /** SHA-256 of the bytes in hexadecimal digits. */
  sha256: z.string(),
})
export type FileReference = z.infer<typeof FileReference>

/** A file that a run created. */
export const ResultFile = z.object({
  ...FileReference.shape,
  /** Path of the bytes: `/api/files/{id}`. */
  url: z.string(),
})
export type ResultFile = z.infer<typeof ResultFile>

/** Such as `image/png`. Parameters are dropped. */
const MediaType = z.pipe(
  z.transform((given: string) =>
    typeof given === 'string' ? (given.split(';', 1)[0] ?? '').trim().toLowerCase() : given,
  ),
  z
    .string()
    .check(
      z.maxLength(200),
      z.regex(/^[a-z0-9][\w!#$&^.+-]*\/[a-z0-9][\w!#$&^.+-]*$/, 'must be a media type such as "image/png"'),
    ),
)

/**
 * A file of a task, at most 20 MiB: `data` with `media_type`, or a `path` in the agent's workspace. Without a
 * `media_type`, the type of a file at a `path` is detected from its bytes.
 */
export const RunFile = z
  .object({
    name: orAbsent(z.string().check(z.maxLength(1000))),
    media_type: orAbsent(MediaType),
    data: orAbsent(FileBytes),
    path: orAbsent(z.string().check(z.minLength(1), z.maxLength(4096))),
  })
  .check(
    z.refine(({ data, path }) => (data === undefined) !== (path === undefined), {
      error: 'exactly one of data and path is needed',
    }),
    z.refine(({ data, media_type }) => data === undefined || media_type !== undefined, {
      error: 'media_type is needed with data',
    }),
  )
export type RunFile = z.infer<typeof RunFile>

/** Files of a message. */
export const RunFiles = z.array(RunFile).check(z.maxLength(maxFiles, `must be at most ${maxFiles} files`))
