import type { Upload } from '@homeward/contract/device-cloud'
import { RelativeTime } from '../../components/text/relative-time.tsx'

interface DownloadTextProps {
  readonly upload: Upload
  /** Whether the file was changed since it was fetched. */
  readonly isOld: boolean
}

/** What stands on the way to a file: of an old copy, when it was fetched. Those who listen are told which file it is. */
export function DownloadText({ upload: { fileName, filePath, completedAt }, isOld }: DownloadTextProps) {
  const name = fileName ?? filePath
  if (!isOld || completedAt === null) {
    return (
      <span>
        Download<span className="visually-hidden"> {name}</span>
      </span>
    )
  }
  return (
    <span className="truncate">
      <span className="visually-hidden">Download {name}, </span>
      Fetched <RelativeTime value={completedAt} />
    </span>
  )
}
