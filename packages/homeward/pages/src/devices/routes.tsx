import { lazyPage, type PageRoute, PageRoutes } from '../shell/page-routes.tsx'
// What most people open comes with the application.
import { DevicesPage } from './devices/devices-page.tsx'

const DevicePage = lazyPage(async () => (await import('./devices/device-page.tsx')).DevicePage)
const SearchesPage = lazyPage(async () => (await import('./searches/searches-page.tsx')).SearchesPage)
const NewSearchPage = lazyPage(async () => (await import('./searches/new-search-page.tsx')).NewSearchPage)
const SearchPage = lazyPage(async () => (await import('./searches/search-page.tsx')).SearchPage)
const UploadsPage = lazyPage(async () => (await import('./uploads/uploads-page.tsx')).UploadsPage)

const routes: readonly PageRoute[] = [
  ['/', DevicesPage],
  ['/devices/:id', DevicePage],
  ['/searches', SearchesPage],
  ['/searches/new', NewSearchPage],
  ['/searches/:id', SearchPage],
  ['/files', UploadsPage],
]

/** The pages of the devices' application, by the path of the address. */
export function DeviceRoutes() {
  return <PageRoutes routes={routes} />
}
