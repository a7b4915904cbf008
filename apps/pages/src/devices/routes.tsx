import { lazyPage, type PageRoute } from '../shell/page-routes.tsx'

const DevicesPage = lazyPage(async () => (await import('./devices/devices-page.tsx')).DevicesPage)
const DevicePage = lazyPage(async () => (await import('./devices/device-page.tsx')).DevicePage)
const SearchesPage = lazyPage(async () => (await import('./searches/searches-page.tsx')).SearchesPage)
const NewSearchPage = lazyPage(async () => (await import('./searches/new-search-page.tsx')).NewSearchPage)
const SearchPage = lazyPage(async () => (await import('./searches/search-page.tsx')).SearchPage)
const GroupPage = lazyPage(async () => (await import('./searches/group-page.tsx')).GroupPage)
const SavedSearchesPage = lazyPage(
  async () => (await import('./saved-searches/saved-searches-page.tsx')).SavedSearchesPage,
)
const SavedSearchPage = lazyPage(
  async () => (await import('./saved-searches/saved-search-page.tsx')).SavedSearchPage,
)
const UploadsPage = lazyPage(async () => (await import('./uploads/uploads-page.tsx')).UploadsPage)
const ApiTokensPage = lazyPage(async () => (await import('./api-tokens/api-tokens-page.tsx')).ApiTokensPage)
const AuditPage = lazyPage(async () => (await import('./audit/audit-page.tsx')).AuditPage)
const AddDevicePage = lazyPage(async () => (await import('./pairing/add-device-page.tsx')).AddDevicePage)
const PairPage = lazyPage(async () => (await import('./pairing/pair-page.tsx')).PairPage)
const TokensPage = lazyPage(async () => (await import('./pairing/tokens-page.tsx')).TokensPage)
const WebhooksPage = lazyPage(async () => (await import('./webhooks/webhooks-page.tsx')).WebhooksPage)

/** The pages of devices, by the path of the address. */
export const deviceRoutes: readonly PageRoute[] = [
  ['/devices', DevicesPage],
  ['/devices/:id', DevicePage],
  ['/add', AddDevicePage],
  ['/pair', PairPage],
  ['/tokens', TokensPage],
  ['/searches', SearchesPage],
  ['/searches/new', NewSearchPage],
  ['/searches/groups/:id', GroupPage],
  ['/searches/saved', SavedSearchesPage],
  ['/searches/saved/:id', SavedSearchPage],
  ['/searches/:id', SearchPage],
  ['/files', UploadsPage],
  ['/api-tokens', ApiTokensPage],
  ['/devices-webhooks', WebhooksPage],
  ['/audit', AuditPage],
]
