/** Path of the firing alerts. The alerts page and the side bar read the same path, so that they share one resource. */
export const firingAlerts = '/notifications/alerts?include=notifications&page_size=100'
