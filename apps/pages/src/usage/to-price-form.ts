/** Address of the form that gives a model a price. */
export const toPriceForm = (model: string) => `/settings/prices?model=${encodeURIComponent(model)}`
