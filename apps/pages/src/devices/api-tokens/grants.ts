import type { ApiToken } from '@homeward/contract/device-cloud'
import type { RightText } from '../../components/tokens/token-form.tsx'

type Grant = ApiToken['may'][number]

/** What a token may do, in the words of the page. */
export const grantTexts: Readonly<Record<Grant, RightText>> = {
  read: { label: 'Read', description: 'See devices, searches with their results, and requested files.' },
  search: { label: 'Search', description: 'Create and cancel searches.' },
  fetch: { label: 'Fetch files', description: 'Request files from devices and download them.' },
  manage: { label: 'Manage', description: 'Register, change and delete devices, keys and tokens.' },
  audit: { label: 'Audit', description: 'Read the audit.' },
}
