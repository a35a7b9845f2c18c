/** The path of the alerts that fire, as the page of alerts shows them: what it reads counts for the side bar too. */
export const firingAlerts = '/notifications/alerts?include=notifications&page_size=100'
