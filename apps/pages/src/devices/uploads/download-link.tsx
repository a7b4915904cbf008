import type { Upload } from '@homeward/contract/device-cloud'
import { Download } from 'lucide-react'
import { cloudToken } from '../../api/access-token.ts'
import { LinkButton } from '../../components/buttons/link-button.tsx'
import { DownloadText } from './download-text.tsx'
import { addressOf, isHere } from './file-address.ts'
import { SaveButton } from './save-button.tsx'

interface DownloadLinkProps {
  readonly upload: Upload
  /** Whether the file was changed since: then it says when it was fetched. @default false */
  readonly isOld?: boolean
}

/** Leads to an uploaded file, where the server gave an address of the web for it. */
export function DownloadLink({ upload, isOld = false }: DownloadLinkProps) {
  const address = addressOf(upload)
  if (address === undefined) return <span className="muted">no address</span>
  // A link sends no header: with a token the page has to fetch the file itself.
  if (isHere(address) && cloudToken.read() !== undefined) {
    return <SaveButton upload={upload} isOld={isOld} />
  }
  return (
    <LinkButton
      href={address}
      variant="quiet"
      icon={<Download aria-hidden />}
      {...(isHere(address)
        ? { download: upload.fileName ?? true }
        : { target: '_blank', rel: 'noopener noreferrer nofollow' })}
    >
      <DownloadText upload={upload} isOld={isOld} />
    </LinkButton>
  )
}
