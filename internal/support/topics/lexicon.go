package topics

import "strings"

// concepts lists synonyms, within a language and across languages, in texts about
// software and services. Each line has a concept, the icon of clusters about it, and its
// words in lower case without accents. A star matches any ending. Concepts let an issue
// in German join one in English, and "sign in" match "log in". A word that is not listed
// is compared by its stem.
const concepts = `
login right-to-bracket: login logins logon signin sign_in log_in logged_in logging_in log_into sign_into signing_in anmeld* einlogg* connexion connecter connecte iniciar_sesion inicio_de_sesion accedi accesso acceder entrar accedere
logout right-from-bracket: logout log_out logged_out logs_out sign_out signed_out signs_out abmeld* abgemeldet ausgeloggt deconnexion deconnect* cerrar_sesion disconnett*
password key: password* passwort* passwoerter kennwort* mot_de_passe mots_de_passe contrasena* senha* passwd passphrase
twofactor shield-halved: 2fa mfa two_factor two-factor twofactor authenticator totp otp zwei_faktor zweifaktor* double_authentification doble_factor due_fattori authentifikator* verification_code recovery_codes
sso id-badge: sso saml okta oidc single_sign entra
account user: account accounts konto konten compte comptes cuenta cuentas conta contas benutzerkonto*
email envelope: email emails e-mail mail mails mailbox inbox spam correo correos courriel* postfach
invoice file-invoice: invoice* receipt* rechnung* facture* factura* fattura* fatture recibo* quittung* beleg
payment credit-card: payment* pay paid credit_card card cards debit zahlung* bezahl* kreditkarte* karte paiement* payer carte pago pagos pagar tarjeta* pagament* carta cartao cartoes sepa iban
refund money-bill-transfer: refund* money_back ruckerstatt* erstatt* rembours* reembols* devolucion rimbors* chargeback
charge money-bill: charged charge charges billed billing doppelt_abgebucht abgebucht abbuch* facture_deux cobrado cobro cobr* addebit* abrechnung* debite
plan layer-group: plan plans subscription* abonnement* abo abos tarif* suscripcion* abbonament* assinatura*
upgrade arrow-up: upgrade* hochstuf* mise_a_niveau mejorar aggiorn* passer_a
downgrade arrow-down: downgrade* herabstuf* retrograd*
cancel ban: cancel* kundig* storn* resili* annul* cancelar disdire
trial hourglass-half: trial* probezeit* testphase* testzeitraum essai* prueba* prova*
discount percent: discount* coupon* voucher* promo promotion rabatt* gutschein* remise* descuento* cupon* sconto* desconto*
tax receipt: tax taxes vat mehrwertsteuer* umsatzsteuer* ust mwst tva iva steuernummer*
invite user-plus: invite* inviting invitation* einlad* eingeladen inviter invitar invitado* invitacion* invitar* convid* convite* invito inviti
team users: team teams colleague* coworker* teammate* kollege* kollegin* equipe* equipo* squadra collegue* collega* colleghi companero*
permission user-lock: permission* role roles rights berechtig* rechte rolle rollen droits permiso* permissao permissoes ruolo ruoli permess* privileg* read-only schreibrechte
delete trash: delete* deleting deletion remove removed removing erase loschen geloscht losch* supprim* suppression eliminar eliminad* elimina* borrar borrad* cancellare apagar excluir
restore clock-rotate-left: restore* restoring recover* undelete undo wiederherstell* zuruckhol* restaur* recuper* ripristin* retablir
backup box-archive: backup* back_up sicherung* sauvegarde* copia_de_seguridad respaldo*
history clock-rotate-left: history revision* revert rollback roll_back version versions verlauf historique historial cronologia
export file-export: export* exportier* exporter exportar esport*
import file-import: import importing imported importer imports importier* importar importacion migrat* migrier* umzug
download download: download* herunterlad* telecharg* descarg* scaric* baixar
upload upload: upload* hochlad* hochgeladen televers* mettre_en_ligne subir subida caric* envio
image image: image* picture* photo* screenshot* bild bilder foto* imagen* immagin* png jpg jpeg
file file: file files datei* fichier* archivo* attachment* anhang* arquivo* allegat*
pdf file-pdf: pdf pdfs
print print: print* druck* imprim* stamp*
search magnifying-glass: search* suche suchen suchfunktion suchergebnis* recherche* rechercher busqueda* buscar buscador ricerca* cercare busca pesquisa*
link link: link links hyperlink* lien liens enlace* collegament* verlinkung* anchor*
domain globe: domain* dns cname subdomain* domaine* dominio* hostname
certificate lock: certificate* ssl tls https zertifikat* certificat* certificado*
publish rocket: publish* unpublish* go_live veroffentlich* publier publie* publicar publica* pubblic*
page file-lines: page pages seite seiten pagina paginas pagine
editor pen: editor edit editing bearbeit* editeur modifier editar modific* cursor
translation language: translat* ubersetz* traduc* traduzion* tradur* localiz* multilingual mehrsprachig*
git code-branch: git github gitlab bitbucket repository repo branch commit
sync arrows-rotate: sync synced syncing synchron* sincroniz* sincronizz*
api code: api apis endpoint* rest_api schnittstelle*
token key: token* api_key api_keys apikey access_key schlussel* cle_api clave_api jeton*
webhook bolt: webhook* callback*
ratelimit gauge-high: rate_limit* rate_limits rate_limited 429 throttl* too_many_requests quota* ratelimit*
mobile mobile-screen: mobile android iphone ipad ios smartphone* handy movil* telefono mobil* celular
notification bell: notification* notif* benachrichtig* notificacion* notific* alert*
darkmode moon: dark_mode dark_theme darkmode dunkelmodus dunkel* mode_sombre modo_oscuro tema_scuro night_mode dunkles
theme palette: theme* design* colour* color* farbe* couleur* colores css branding brand stylesheet
logo star: logo* favicon*
table table: table tables tabelle* tableau* tabla tablas tabella column* spalte*
code code: code_block codeblock snippet* syntax highlighting quellcode codeblock* bloque_de_codigo
font font: font fonts schriftart* police typeface fuente
slow gauge: slow* slowly performance lag lags laggy langsam* lent lente lento lentitud lentezza latency freezes hangs ewig
install screwdriver-wrench: install* setup set_up setting_up einricht* instal* aufsetz*
docker server: docker container* kubernetes helm selfhosted self-hosted self_hosted
database database: database* datenbank* base_de_donnees base_de_datos postgres* mysql sqlite
analytics chart-line: analytic* statisti* statistik* estadistic* insights traffic visitors views besucher* visites metriken
comment comment: comment* kommentar* commentaire* comentario* comment*
review list-check: review* approv* genehmig* freigabe* approuv* aprob* reviewer*
slack comments: slack
zapier plug: zapier
integration plug: integrat* integracion* plugin* addon
seat chair: seat seats license* licence* lizenz* licencia* licenz*
privacy user-shield: gdpr dsgvo rgpd privacy datenschutz* privacidad
audit clipboard-list: audit* audit_log protokoll*
embed film: embed* einbett* iframe video* youtube integrer_une_video incrustar
timezone clock: timezone* time_zone* zeitzone* fuseau* zona_horaria fuso
keyboard keyboard: keyboard shortcut* tastenkurzel* tastatur* raccourci* atajo*
sidebar bars: sidebar navigation menu nav seitenleiste menuleiste barre_laterale
redirect diamond-turn-right: redirect* weiterleit* umleit* redirection* redirecc*
order cart-shopping: order orders bestell* commande* pedido* ordine ordini encomenda*
delivery truck: deliver* shipping shipment* shipped parcel package tracking liefer* paket* versand* livraison* colis envio entrega* consegna* spedizion*
address location-dot: address adresse anschrift direccion indirizzo endereco
name id-card: name username rename renam* umbenenn* renommer renombrar nombre nome rinomin*
language language: language* sprache* langue* idioma* lingua
browser window-maximize: browser* chrome firefox safari
seo arrow-trend-up: seo google sitemap indexed indexing indexier* robots
transfer right-left: transfer* ownership owner ubertrag* eigentumer* transferer proprietaire transferir propietario trasferi* proprietari*
organization building: organization* organisation* workspace* firma company entreprise empresa azienda
space folder: space spaces
copy copy: duplicate* copy copies clone* kopier* dupliz* dupliqu* copier duplicar copiar duplic*
move up-down-left-right: move moving reorder* reorganiz* drag verschieb* deplacer mover spostare reihenfolge
`

// generic lists words that occur in issues of every topic: words of support, greetings
// and courtesy.
const generic = `please thanks thank hi hello hey help helping support team question questions problem problems issue issues
know tell possible possibly way thing things something anything nothing someone somebody today yesterday tomorrow morning week weeks day days month months
hour hours minute minutes year time times already really actually maybe find found look looking think guess wonder wondering happen happens happened happening
first last new old right best regards cheers appreciate urgent urgently asap soon currently suddenly anyway able seems like just also since
error errors message messages show shows shown showing says said appear appears click clicked clicking button screen give gives come comes came try
ignore previous instruction instructions system prompt assistant
hallo danke dank bitte hilfe helfen frage fragen problem probleme gruss grusse heute gestern morgen woche tage monat stunde minuten funktioniert funktionieren klappt
fehler fehlermeldung meldung erscheint kommt bekomme zeigt wissen moglich moglichkeit finde finden wollte wollen lasst lassen macht machen team gerade plotzlich
bonjour merci aide aider question probleme erreur message possible impossible fonctionne marche pouvoir savoir trouver trouve jour jours semaine mois heure heures aujourd hui hier essaye essayer affiche arrive
hola gracias ayuda ayudar pregunta problema problemas error mensaje posible funciona funcionar saber encontrar encuentro dia dias semana mes hora horas hoy ayer intento intentar aparece sale saludos favor
ciao grazie aiuto domanda errore messaggio possibile impossibile funziona sapere trovare trovo giorno giorni settimana mese ora ore oggi ieri riesco appare
ola obrigado obrigada ajuda pergunta erro mensagem possivel consigo encontrar dia dias semana hoje ontem aparece nbsp`

// entry is the concept of a word, and its icon.
type entry struct {
	concept, icon string
}

// dictionary finds concepts by words.
type dictionary struct {
	exact    map[string]entry
	prefixes map[string]entry
	phrases  map[string]entry // of two to four words
	icons    map[string]string
	ignored  map[string]bool // generic words, and function words of all languages
}

const (
	minPrefix  = 3
	maxPhrase  = 4
	phraseGlue = "_"
)

var lexicon = readLexicon()

func readLexicon() dictionary {
	d := dictionary{exact: map[string]entry{}, prefixes: map[string]entry{}, phrases: map[string]entry{}, icons: map[string]string{}, ignored: map[string]bool{}}
	for line := range strings.Lines(concepts) {
		head, words, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		name, icon, _ := strings.Cut(head, " ")
		e := entry{name, icon}
		d.icons[name] = icon
		for _, w := range strings.Fields(words) {
			prefix, star := strings.CutSuffix(w, "*")
			switch {
			case strings.Contains(w, phraseGlue):
				d.phrases[prefix] = e
			case star:
				d.prefixes[prefix] = e
			default:
				d.exact[w] = e
			}
		}
	}
	for _, w := range strings.Fields(generic) {
		d.ignored[w] = true
	}
	for _, set := range wordSets {
		for w := range set {
			d.ignored[w] = true
		}
	}
	return d
}

// word returns the concept of a word: that of the word itself, or else that of its longest
// prefix in the dictionary.
func (d dictionary) word(w string) (entry, bool) {
	if e, ok := d.exact[w]; ok {
		return e, true
	}
	for n := len(w); n >= minPrefix; n-- {
		if e, ok := d.prefixes[w[:n]]; ok {
			return e, true
		}
	}
	return entry{}, false
}

// phrase returns the concept of the longest phrase at the beginning of words, and the
// number of words of the phrase. The number is 0 if there is none.
func (d dictionary) phrase(words []string) (entry, int) {
	for n := min(maxPhrase, len(words)); n > 1; n-- {
		if e, ok := d.phrases[strings.Join(words[:n], phraseGlue)]; ok {
			return e, n
		}
	}
	return entry{}, 0
}
