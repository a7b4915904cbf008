import type { FileReference } from '../ports/file.ts'

/** Whether two lists of files have the same bytes under the same names. */
export function isSameFiles(
  one: readonly FileReference[] = [],
  other: readonly FileReference[] = [],
): boolean {
  return (
    one.length === other.length &&
    one.every(({ name, sha256 }, index) => name === other[index]?.name && sha256 === other[index].sha256)
  )
}
