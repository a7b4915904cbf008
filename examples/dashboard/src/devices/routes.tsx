import { lazy, Suspense } from 'react'
import { Route, Switch } from 'wouter'
import { EmptyState } from '../components/empty-state.tsx'
import { LoadingState } from '../components/loading-state.tsx'
import { PageHeader } from '../components/page-header.tsx'
import { DevicesPage } from './devices/devices-page.tsx'

// The list is what most people open; the other pages come when they are asked for.
const DevicePage = lazy(async () => ({ default: (await import('./devices/device-page.tsx')).DevicePage }))
const SearchesPage = lazy(async () => ({
  default: (await import('./searches/searches-page.tsx')).SearchesPage,
}))
const NewSearchPage = lazy(async () => ({
  default: (await import('./searches/new-search-page.tsx')).NewSearchPage,
}))
const SearchPage = lazy(async () => ({ default: (await import('./searches/search-page.tsx')).SearchPage }))
const UploadsPage = lazy(async () => ({ default: (await import('./uploads/uploads-page.tsx')).UploadsPage }))

/** The pages of the devices' application, by the path of the address. */
export function DeviceRoutes() {
  return (
    <Suspense fallback={<LoadingState />}>
      <Switch>
        <Route path="/" component={DevicesPage} />
        <Route path="/devices/:id">{({ id }) => <DevicePage key={id} id={id} />}</Route>
        <Route path="/searches" component={SearchesPage} />
        <Route path="/searches/new" component={NewSearchPage} />
        <Route path="/searches/:id">{({ id }) => <SearchPage id={id} />}</Route>
        <Route path="/files" component={UploadsPage} />
        <Route>
          <PageHeader title="Not found" />
          <EmptyState title="There is no such page" />
        </Route>
      </Switch>
    </Suspense>
  )
}
