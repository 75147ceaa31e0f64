/** Given names in several scripts, so that encoding mistakes show. */
export const GIVEN_NAMES = (
	'Amelia,Noah,Zoë,Łukasz,María,José,Chloé,Jürgen,Søren,Åsa,İpek,Đorđe,Ngọc,Siobhán,Renée,Björn,' +
	'Ana,Liam,Olivia,Mateo,Sofia,Ethan,Mia,Lucas,Юлия,Дмитрий,Ελένη,Γιώργος,美咲,健太,小明,지우,ليلى,דוד,' +
	'आरव,ธนพล'
).split(',');

export const FAMILY_NAMES = (
	"Smith,García,Müller,Nowak,Øvergård,O'Brien,Nguyễn,Şahin,Kovačević,Rossi,van den Berg,Dubois," +
	'Lindström,Silva,Fernández-López,Ivanova,Иванова,Παππάς,田中,佐藤,王,김,حداد,כהן,शर्मा,Brown,Taylor,' +
	'Martin,Okafor,Haddad'
).split(',');

export const PLATFORMS = ['instagram', 'tiktok', 'youtube', 'facebook'] as const;
export const STAGES = ['new', 'contacted', 'qualified', 'customer', 'lost'] as const;

/** What the organizations sell, with its usual price in minor currency units. */
export const PRODUCTS = [
	{ name: 'Starter Course', price: 4_900 },
	{ name: 'Creator Masterclass', price: 29_700 },
	{ name: '1:1 Coaching – 60 min', price: 15_000 },
	{ name: 'Growth Membership (monthly)', price: 2_900 },
	{ name: 'Content Calendar Template', price: 1_900 },
	{ name: 'Préparation Intensive “Été”', price: 89_000 },
	{ name: 'VIP Retreat 🌴', price: 249_000 },
] as const;

/** Payment providers with their fee: a share of the amount and a fixed part in minor units. */
export const PROVIDERS = [
	{ name: 'stripe', share: 0.029, fixed: 30 },
	{ name: 'paypal', share: 0.0349, fixed: 49 },
	{ name: 'apple_pay', share: 0.015, fixed: 0 },
	{ name: 'bank_transfer', share: 0, fixed: 0 },
] as const;

export const CURRENCIES = ['EUR', 'EUR', 'EUR', 'USD', 'USD', 'GBP'] as const;
export const TRANSACTION_STATUSES = ['succeeded', 'succeeded', 'succeeded', 'succeeded', 'pending', 'failed'] as const;
export const MANUAL_STATUSES = ['PENDING', 'PROCESSING', 'COMPLETE', 'CANCELLED'] as const;
export const PAYMENT_TYPES = ['FULL', 'DEPOSIT', 'INSTALLMENT'] as const;

/** Tags every organization starts with; only manual ones may be added through the service. */
export const TAGS = [
	{ name: 'VIP', manual: true },
	{ name: 'Newsletter', manual: true },
	{ name: 'Follow up', manual: true },
	{ name: 'Günther’s webinar', manual: true },
	{ name: 'Bought recently', manual: false },
	{ name: 'Commented on a post', manual: false },
] as const;
